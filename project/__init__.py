"""Wiring only: settings, urls, asgi, celery, the admin site, the MCP mount, and `manage.py up`."""
