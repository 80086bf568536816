"""A clock that a test sets."""

from datetime import UTC, datetime, timedelta


class Clock:
    """Stands still until moved."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def forward(self, **delta: float) -> None:
        """Move on by a timedelta's arguments."""
        self.moment += timedelta(**delta)
