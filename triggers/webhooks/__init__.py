"""Webhooks: other services post, and it becomes a push message."""
