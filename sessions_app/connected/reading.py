"""Reads for connected agents: whose run is meant, and whether there is one."""

from accounts.models import Launch
from accounts.reading import require_live_connection
from core.actor import Actor
from core.errors import Gone
from sessions_app.connected.values import Look
from sessions_app.models import Agent, Run, Session


def holder(actor: Actor, own: int) -> str:
    """What is kept as the worker of a run: the launch or connection, and its own session. The agent is whoever is both."""
    return f"{actor.author}/{own}"


def require_alive(actor: Actor) -> None:
    """Raise Unauthenticated or Gone for an agent whose connection was revoked or whose launch has ended: it takes nothing."""
    require_live_connection(actor)
    if actor.launch_id is not None and not Launch.objects.filter(pk=actor.launch_id, ended_at=None).exists():
        raise Gone("This launch has ended; start the agent anew with tertulia launch.", code="launch_ended")


def look(actor: Actor, own: int, session: int) -> Look:
    """What there is for the caller in a session. Raises Gone for one that was archived."""
    if not Session.objects.filter(pk=session, account_id=actor.account_id or 0, archived_at=None).exists():
        raise Gone("This session has ended; look for a living one with sessions_list.")
    taken = Run.objects.filter(session_id=session, state__in=Run.TAKEN).values_list("worker", flat=True).first()
    waiting = waiting_in(session)
    return Look(holds=taken == holder(actor, own), may_take=taken is None and waiting > 0, waiting=waiting)


def waiting_in(session: int) -> int:
    """How many runs of a session wait for a connected agent."""
    return int(Run.objects.filter(session_id=session, state=Run.QUEUED, held="", runner=Agent.CONNECTED).count())
