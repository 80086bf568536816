"""Grants: the owner's leave for one launch to chat under a verified handle."""
