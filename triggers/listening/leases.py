"""How listeners share the servers: by leases that are renewed, evenly by heartbeats. Pure."""

from datetime import timedelta

BEAT_SECONDS = 3.0
LEASE = timedelta(seconds=10)
"""Twice a beat may be missed; a listener that was killed is followed within 13 seconds."""
FORGOTTEN = timedelta(minutes=5)
"""After so long without a heartbeat a listener's row goes."""


def share(servers: int, listeners: int) -> int:
    """The most servers that one of so many listeners holds."""
    return -(-servers // max(listeners, 1))
