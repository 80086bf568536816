"""What a launcher is told of its launch."""

import secrets
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache

from accounts.launches.credentials import launch_has_ended, launch_unknown
from accounts.launches.news import launch_key
from accounts.models import Launch
from accounts.reading import require_live_connection
from chat.models import Grant
from chat.wakes.actions import pending
from core import news
from core.actor import Actor
from core.errors import Conflict
from core.registry import hook_reasons

HELD_SECONDS = 86_400
TAKEN_OVER = "launch_taken_over"


@dataclass(frozen=True, slots=True)
class State:
    """What a launcher knows of its launch's grant. `handle`: of the live one; `hooks`: whether its hooks may have something to
    hear."""

    launch: str
    verified: bool
    was_granted: bool
    handle: str | None
    wake: bool
    hooks: bool

    def told(self) -> dict[str, Any]:
        """The frame."""
        return {
            "type": "state",
            "launch": self.launch,
            "verified": self.verified,
            "granted": self.handle is not None,
            "was_granted": self.was_granted,
            "handle": self.handle,
            "wake": self.wake,
            "hooks": self.hooks,
        }


class Hold:
    """Which of a launch's lines is the newest; the others give way, in whichever process of the hub they are.

    The cache says so. Where it forgot, whoever looks first holds the launch.
    """

    def __init__(self, launch_id: int) -> None:
        self._launch_id = launch_id
        self._name = f"launcher:{launch_id}"
        self._mine = secrets.token_hex(8)

    def take(self) -> None:
        """This line is the newest; the others hear of it."""
        cache.set(self._name, self._mine, HELD_SECONDS)
        news.publish([launch_key(self._launch_id)])

    def check(self) -> None:
        """Raise Conflict once a newer line has come."""
        if cache.get_or_set(self._name, self._mine, HELD_SECONDS) != self._mine:
            raise Conflict("Another connection of this launch took over.", code=TAKEN_OVER)


def look(actor: Actor, hold: Hold) -> tuple[State, list[int]]:
    """The state of the actor's launch, and the wakes it is asked for. Raises Unauthenticated, NotFound, Gone, Conflict."""
    hold.check()
    require_live_connection(actor)
    launch: Launch | None = Launch.objects.visible_to(actor).filter(pk=actor.launch_id, connection_id=actor.connection_id).first()
    if launch is None:
        raise launch_unknown()
    if not launch.is_live:
        raise launch_has_ended()
    grants = list(Grant.objects.filter(launch=launch))
    live = next((grant for grant in grants if grant.ended_at is None), None)
    state = State(
        launch=launch.key,
        verified=launch.is_verified,
        was_granted=bool(grants),
        handle=live.handle if live else None,
        wake=live is not None and live.wake,
        hooks=live is not None or any(holds(actor) for holds in hook_reasons),
    )
    return state, pending(launch.pk)
