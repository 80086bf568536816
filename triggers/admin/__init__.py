"""The push inbox in the admin: lists to look at; what is changed is changed on the owner's pages."""

from triggers.admin import firings, messages, rules, servers, webhooks

__all__ = ["firings", "messages", "rules", "servers", "webhooks"]
