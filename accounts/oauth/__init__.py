"""What the authorization server needs beyond django-oauth-toolkit's settings."""
