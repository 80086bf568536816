"""The management commands of the chat."""
