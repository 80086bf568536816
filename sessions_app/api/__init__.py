"""The REST doors of sessions."""
