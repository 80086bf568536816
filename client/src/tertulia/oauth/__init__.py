"""Signing in: OAuth 2.1 with the hub's own authorization server."""
