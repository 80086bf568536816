"""Real MCP clients against a hub started by `manage.py up`."""
