"""When launches that nobody tells of are ended: not while their launchers may still be coming back to a hub that was away."""

import time

from accounts.launches import actions
from core.actor import Actor

_began = time.monotonic()
"""When this process began to run; as a rule the hub's others began with it."""


def sweep(actor: Actor) -> int:
    """End the launches whose launchers are gone; none in the first minutes of a process."""
    if time.monotonic() - _began < actions.UNSEEN.total_seconds():
        return 0
    return actions.sweep(actor)
