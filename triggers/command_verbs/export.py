"""`manage.py channel export`."""
