"""Whose runs a connected agent may take: those of its own session, and of the sessions of connected agents of its account."""

from core.actor import Actor
from core.errors import NotFound
from sessions_app import keys
from sessions_app.connected.values import Waited
from sessions_app.finding.actions import ensure, own_session
from sessions_app.finding.resolving import main_of, resolve
from sessions_app.models import Agent, Session, SessionSettings
from sessions_app.permissions import check_reach, check_read, check_unknown


def choose(actor: Actor, *, session_key: str | None, session_name: str | None) -> Waited:
    """The caller's own session, made at its first call, or the one it names.

    Raises NotFound (unknown, foreign, or another agent's own), Forbidden (scope, visibility).
    """
    own = own_session(actor, session_name)
    if session_key is None:
        return Waited(own.pk, own.pk)
    found = _named(own, session_key)
    if found.pk != own.pk:
        _check_may_take(actor, own, found)
    return Waited(own.pk, found.pk)


def _named(own: Session, given: str) -> Session:
    try:
        return resolve(own.account_id, given, own)
    except NotFound:
        kept = SessionSettings.objects.get(pk=own.account_id)
        main = main_of(kept, own, given)
        if main is None or not _is_connected(own.account_id, keys.parse(main, kept.default_agent).agent):
            check_unknown(kept, own, given)
            raise
        return ensure(own.account_id, main)


def _is_connected(account_id: int, slug: str, *, unless_known: bool = False) -> bool:
    """Whether connected agents execute what is asked of this agent; `unless_known`: what to say of one nobody wrote down."""
    agent = Agent.objects.filter(account_id=account_id, slug=slug).values_list("enabled", "runner").first()
    return unless_known if agent is None else agent == (True, Agent.CONNECTED)


def _check_may_take(actor: Actor, own: Session, found: Session) -> None:
    is_anothers = found.kind == "node" and (found.connection_id or found.launch_id)
    if is_anothers or not _is_connected(found.account_id, found.agent, unless_known=True):
        raise NotFound("Runs of that session are not for you to take; name a session of a connected agent, or none for your own.")
    check_read(actor)
    check_reach(SessionSettings.objects.get(pk=found.account_id), own, found, "history")
