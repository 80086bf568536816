"""Lists and histories of sessions: who sees what."""
