"""What signing in and launching leave behind: spent tokens, unused codes and clients, ended launches. Removed every hour."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from oauth2_provider.models import (
    get_access_token_model,
    get_device_grant_model,
    get_grant_model,
    get_refresh_token_model,
)

from accounts import actions
from accounts.models import Application, Connection, Launch, OwnerProof
from core import clock
from core.actor import Actor
from core.registry import prunings

BATCH = 50
"""Rows a transaction: some milliseconds of SQLite's one writer lock, with all that goes with a row."""
UNUSED_CLIENT = timedelta(days=1)
LAUNCH_KEPT = timedelta(days=30)
"""How long a launch that ended is shown; its grants go with it."""
Progress = Callable[[int], None]
Rows = QuerySet[Any]


def remove(rows: Rows, *, dry_run: bool, progress: Progress) -> int:
    """Delete `rows` in short transactions; answers how many went, or would go."""
    if dry_run:
        return rows.count()
    gone = 0
    while True:
        found = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
        went = _remove_batch(rows, found)
        gone += went
        if went:
            progress(went)
        if not went or len(found) < BATCH:
            return gone


@transaction.atomic
def _remove_batch(rows: Rows, found: list[Any]) -> int:
    """Delete what is still to go of what was found: somebody may have begun to use it meanwhile."""
    still = list(rows.filter(pk__in=found).select_for_update(of=("self",)).values_list("pk", flat=True))
    rows.model._default_manager.filter(pk__in=still).delete()
    return len(still)


def idle_since(now: datetime) -> datetime:
    """An access token that ran out before this can no longer be refreshed."""
    return now - timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])


def idle_connections(now: datetime) -> Rows:
    """Connections that look alive and whose every token has run out for good."""
    family = get_refresh_token_model().objects.filter(token_family=OuterRef("token_family"), revoked=None)
    live = family.filter(access_token__expires__gt=idle_since(now))
    rows: Rows = Connection.objects.active().filter(Exists(family), ~Exists(live))
    return rows


def prune_connections(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """End connections that nobody used for so long that their client must sign in anew; the list then says so."""
    rows = idle_connections(clock.now())
    if dry_run:
        return rows.count()
    idle = list(rows.values_list("pk", flat=True))
    for connection_id in idle:
        actions.revoke_connection(actor, connection_id=connection_id, reason="not used for too long")
        progress(1)
    return len(idle)


def spent_tokens(now: datetime) -> list[Rows]:
    """Tokens that open nothing and whose reuse needs no noticing any more."""
    refresh, access = get_refresh_token_model().objects, get_access_token_model().objects
    ended = Connection.objects.filter(revoked_at__lt=now - timedelta(days=1)).values("token_family")
    return [
        refresh.filter(Q(revoked__lte=idle_since(now)) | Q(token_family__in=ended)),
        refresh.filter(revoked=None, access_token__expires__lte=idle_since(now)),
        access.filter(refresh_token=None, expires__lt=now),
    ]


def prune_tokens(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """Remove spent tokens."""
    return sum(remove(rows, dry_run=dry_run, progress=progress) for rows in spent_tokens(clock.now()))


def prune_sign_ins(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """Remove expired browser sessions, authorization codes, device codes and owner's proofs."""
    now = clock.now()
    stale = [
        Session.objects.filter(expire_date__lt=now),
        get_grant_model().objects.filter(expires__lt=now),
        get_device_grant_model().objects.filter(expires__lt=now),
        OwnerProof.objects.filter(expires_at__lt=now),
    ]
    return sum(remove(rows, dry_run=dry_run, progress=progress) for rows in stale)


def prune_launches(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """Remove launches that ended long ago."""
    ended = Launch.objects.visible_to(actor).filter(ended_at__lt=clock.now() - LAUNCH_KEPT)
    return remove(ended, dry_run=dry_run, progress=progress)


def unused_clients(now: datetime) -> Rows:
    """Clients that registered themselves and that nobody allowed in a day, or whose document lapsed with no one left."""
    source = Application.RegistrationSource
    connections = Connection.objects.filter(application=OuterRef("pk"))
    pending = get_grant_model().objects.filter(application=OuterRef("pk"), expires__gte=now)
    devices = get_device_grant_model().objects.filter(client_id=OuterRef("client_id"), expires__gte=now)
    registered = Q(registration_source=source.DCR, user=None, created__lt=now - UNUSED_CLIENT) & ~Exists(connections)
    lapsed = Q(registration_source=source.CIMD, cimd_expires_at__lt=now) & ~Exists(connections.filter(revoked_at=None))
    rows: Rows = Application.objects.filter(registered | lapsed).filter(~Exists(pending), ~Exists(devices))
    return rows


def prune_clients(*, actor: Actor, dry_run: bool, progress: Progress) -> int:
    """Remove unused clients."""
    return remove(unused_clients(clock.now()), dry_run=dry_run, progress=progress)


def register() -> None:
    """Called once, when the app is ready."""
    prunings.add("unused connections", prune_connections)
    prunings.add("spent tokens", prune_tokens)
    prunings.add("expired sign-ins", prune_sign_ins)
    prunings.add("unused clients", prune_clients)
    prunings.add("ended launches", prune_launches)
