"""Sessions in the admin: lists to read and to stop by; what is changed is changed on the owner's pages."""

from sessions_app.admin import agents, runs, sessions

__all__ = ["agents", "runs", "sessions"]
