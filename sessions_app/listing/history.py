"""The history of one session."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from core.actor import Actor
from sessions_app import cutting
from sessions_app.finding.resolving import reach
from sessions_app.listing.messages import newest
from sessions_app.models import Session, SessionSettings
from sessions_app.permissions import check_read

LIMIT_DEFAULT, LIMIT_MOST = 200, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Messages, oldest first, of the session with this key."""

    session: Session
    told: cutting.Told


def history(
    actor: Actor, requester: Session | None, given: str, *, limit: int = LIMIT_DEFAULT, with_tools: bool = False
) -> History:
    """The newest messages of a session by key or id, as much as an answer holds. Raises Forbidden, NotFound, Conflict.

    To whom the owner shows a part alone, what does not exist is refused as what he may not see.
    """
    check_read(actor)
    assert actor.account_id is not None
    kept = SessionSettings.objects.get(pk=actor.account_id)
    target = reach(kept, requester, given, "history")
    messages = newest(target, limit + 1, with_tools=with_tools)
    room = cutting.ANSWER_BYTES - cutting.FRAME_BYTES
    told = cutting.tell(_first(messages, limit, flags := cutting.Flags()), room)
    told.flags.dropped |= flags.dropped
    return History(session=target, told=told)


def _first(messages: Iterable[dict[str, Any]], limit: int, flags: cutting.Flags) -> Iterator[dict[str, Any]]:
    """At most `limit` of them; that there was one more is noted."""
    for count, message in enumerate(messages):
        if count == limit:
            flags.dropped = True
            return
        yield message
