"""Firings: made with the message that matched, drained, decided, run."""
