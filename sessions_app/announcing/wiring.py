"""What this part adds to the registries."""

from core.registry import sweeps
from sessions_app.announcing import delivering, tasks  # noqa: F401 -- Celery learns of the task


def register() -> None:
    """Called once, when the app is ready."""
    sweeps.add("announcements", delivering.sweep)
