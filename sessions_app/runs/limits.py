"""How much agents may ask of an account's sessions: a flood ends in a refusal, not in a full disk."""

import time

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, Q

from accounts.throttle import Throttle, Throttled
from core.actor import Actor
from core.errors import StorageFull, TooMany
from core.text import byte_length
from sessions_app.models import Run

MINUTE, DAY = 60, 86_400
SESSIONS_FULL = 10
"""So many sessions with as many waiting runs as one may have are as much as an account may have waiting."""
FULL = "This account's agents sent each other as much today as they may; write less tomorrow, or name files instead."
FULL_OF_FIRINGS = "Rules put as much text into sessions today as they may; give them a rateLimit, or run the message yourself."


def check_room(actor: Actor, account_id: int, message: str, *, session_pk: int | None = None) -> None:
    """Raises TooMany or StorageFull where an agent asks for more than the hub's settings allow: runs a minute, runs that wait
    in the session and in the account, bytes a day. Persons and the hub itself ask for what they want."""
    if not actor.is_agent:
        return
    _check_pace(actor)
    _check_queue(account_id, session_pk)
    if settings.SESSION_BYTES_PER_DAY and count_bytes(account_id, message) > settings.SESSION_BYTES_PER_DAY:
        raise StorageFull(FULL)


def _check_pace(actor: Actor) -> None:
    most = settings.SESSION_RUNS_PER_MINUTE
    wait = Throttle("runs", most, MINUTE).hit(actor.author) if most else 0
    if wait:
        raise Throttled(f"You began {most} runs within a minute; wait {wait} seconds and try again.", wait)


def _check_queue(account_id: int, session_pk: int | None) -> None:
    most = settings.SESSION_QUEUED_RUNS
    waiting = Run.objects.filter(account_id=account_id, state=Run.QUEUED)
    found = waiting.aggregate(all=Count("pk"), here=Count("pk", filter=Q(session_id=session_pk)))
    if 0 < most <= found["here"]:
        raise TooMany(f"{found['here']} runs wait in that session already; wait until it has answered some.")
    if 0 < most * SESSIONS_FULL <= found["all"]:
        raise TooMany(f"{found['all']} runs wait in this account already; wait until some have ended.")


def check_firing(account_id: int, text: str) -> None:
    """Raises StorageFull where what push messages have runs begin with, unasked, is more in a day than agents may write."""
    most = settings.SESSION_BYTES_PER_DAY
    if most and count_bytes(account_id, text, "firing") > most:
        raise StorageFull(FULL_OF_FIRINGS)


def count_bytes(account_id: int, text: str, writer: str = "session") -> int:
    """Count what an agent wrote (or another `writer`) against its account's day; answers what that is together. A lost counter
    lets more through."""
    slot = f"{writer}-bytes:{account_id}:{int(time.time() // DAY)}"
    cache.add(slot, 0, timeout=DAY)
    try:
        return int(cache.incr(slot, byte_length(text)))
    except ValueError:  # it went between the two calls
        return 0
