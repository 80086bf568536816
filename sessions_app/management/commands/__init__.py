"""Commands of sessions."""
