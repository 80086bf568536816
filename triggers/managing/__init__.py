"""The owner's pages of push servers, rules and webhooks."""
