"""How often one caller may ask the REST doors and the tickets'."""

from django.conf import settings

from accounts.throttle import Throttle
from core.actor import Actor

WINDOW = 60
"""Seconds."""


def check_pace(key: str) -> None:
    """Count one call of this caller; raises Throttled past `settings.API_PER_MINUTE` (0: no limit). Asks the cache."""
    if settings.API_PER_MINUTE:
        Throttle("api", settings.API_PER_MINUTE, WINDOW).check(key)


def check_pace_of(actor: Actor) -> None:
    """As `check_pace`, for a connection or a person."""
    check_pace(actor.author)
