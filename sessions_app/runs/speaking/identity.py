"""Whom a run's token speaks for: its session, while the claim on the run lasts."""

from accounts.bearer import BearerIdentity
from core import clock
from core.text import one_line
from sessions_app.models import Agent, Run, SessionSettings
from sessions_app.runners.whitelist import usable

NAME_LENGTH = 64
SCOPES = frozenset({"chat.read", "chat.post", "channels.read", "sessions.read", "sessions.send", "sessions.spawn"})


def speaker(digest: str) -> BearerIdentity | None:
    """The identity behind the token with this SHA-256, or None: unknown, its run has ended or is lost, its connection was
    revoked, or its owner may no longer sign in."""
    run = (
        Run.objects.filter(credential=digest, state__in=Run.TAKEN, lease_until__gt=clock.now()).select_related("session").first()
    )
    if run is None or run.lease_until is None:
        return None
    kept = SessionSettings.objects.select_related("hub_connection__user").filter(pk=run.account_id).first()
    connection = kept.hub_connection if kept is not None else None
    agent = Agent.objects.filter(account_id=run.account_id, slug=run.session.agent, enabled=True).first()
    if kept is None or connection is None or agent is None or not connection.is_active or not connection.user.is_active:
        return None
    names = usable(kept, agent, run.session, run.tools)
    return BearerIdentity(
        account_id=run.account_id,
        user_id=connection.user_id,
        connection_id=connection.pk,
        client_id="",
        client_name=connection.client_name,
        scopes=SCOPES,
        expires_at=run.lease_until.timestamp(),
        unused=connection.last_used_at is None,
        session_id=run.session_id,
        session_name=one_line(run.session.key, 256)[:NAME_LENGTH],
        tool_names=names,
    )
