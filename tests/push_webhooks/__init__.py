"""Webhooks: what other services post, and how it becomes a push message."""
