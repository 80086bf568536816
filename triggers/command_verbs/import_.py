"""`manage.py channel import`."""
