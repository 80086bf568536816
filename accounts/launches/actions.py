"""Everything that changes launches: their launchers tell, the hub sweeps what nobody tells of any more."""

import hmac
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from accounts.launches.credentials import digest_of, launch_has_ended, launch_unknown
from accounts.launches.news import launch_key, launches_key
from accounts.launches.values import LaunchIn
from accounts.models import Account, Connection, Launch
from accounts.reading import require_live_connection
from accounts.signals import launch_begun, launch_changed, launch_ended
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.errors import Conflict, Forbidden, TooMany
from core.locks import short_wait

MOST_LIVE = 200
"""Launches an account may have alive at once."""
MOST_AN_HOUR = 600
"""Launches an account may begin within an hour: each leaves a row for a month and entries in the audit log for longer."""
FRESH = timedelta(seconds=30)
"""A launcher beats every ten seconds: what it last told of its pane longer ago than this is told no more."""
BUSY_SECONDS = 2.0
"""What a beat waits for the database: the next one comes soon."""
UNSEEN = timedelta(minutes=5)
LAUNCHER_GONE, DISCONNECTED = "its launcher is gone", "its connection was revoked"
NOT_FINAL = frozenset({LAUNCHER_GONE, DISCONNECTED})
"""Ends that the hub assumed: a launcher that comes back after one goes on, without its grant."""


@transaction.atomic
def register(actor: Actor, *, told: LaunchIn) -> tuple[Launch, bool]:
    """Keep a launch, or what is new of one that comes again with its key and credential; answers it and whether it is new.

    Raises Forbidden (no agent's connection), Conflict (the key or credential is taken, or names another process), Gone (it
    ended), TooMany.
    """
    if not actor.is_agent or actor.account_id is None or actor.user_id is None:
        raise Forbidden("A launch is registered by its launcher, with the token of its own connection.")
    require_live_connection(actor)
    _hold_account(actor.account_id)
    known: Launch | None = Launch.objects.select_for_update().filter(key=told.key).first()
    if known is not None:
        return _refresh(actor, known, told), False
    if Launch.objects.live().filter(account_id=actor.account_id).count() >= MOST_LIVE:
        raise TooMany(f"This account has {MOST_LIVE} launches alive; end one of them and try again.", code="too_many_launches")
    now = clock.now()
    if Launch.objects.filter(account_id=actor.account_id, started_at__gt=now - timedelta(hours=1)).count() >= MOST_AN_HOUR:
        raise TooMany(f"This account began {MOST_AN_HOUR} launches within an hour; wait some minutes.", code="too_many_launches")
    fresh = Launch(account_id=actor.account_id, user_id=actor.user_id, started_at=now, key=told.key)
    _fill(fresh, actor, told, now)
    try:
        with transaction.atomic():
            fresh.save(force_insert=True)
    except IntegrityError:  # another account was quicker with this key, or the credential is another launch's
        raise _taken() from None
    _tell_started(actor, fresh)
    return fresh, True


def _refresh(actor: Actor, known: Launch, told: LaunchIn) -> Launch:
    same = hmac.compare_digest(known.credential, digest_of(told.credential))
    if not same or known.account_id != actor.account_id or (known.pid, known.start_token) != (told.pid, told.start_token):
        raise _taken()
    if not known.is_live and known.end_reason not in NOT_FINAL:
        raise launch_has_ended()
    before, revived = known.pane_state, not known.is_live
    known.ended_at, known.end_reason = None, ""
    _fill(known, actor, told, clock.now())
    known.save()
    if revived:
        _tell_started(actor, known, again=True)
    elif known.pane_state != before:
        launch_changed.send(sender=Launch, launch=known)
    _ring(known)
    return known


def _taken() -> Conflict:
    return Conflict("This key or credential is another launch's; make both anew.", code="launch_taken")


def _fill(launch: Launch, actor: Actor, told: LaunchIn, now: datetime) -> None:
    for name, value in told.model_dump(exclude={"key", "credential", "pane_state"}).items():
        setattr(launch, name, value)
    launch.credential, launch.connection_id = digest_of(told.credential), actor.connection_id
    launch.pane_state = _pane_state(launch, told.pane_state, now)
    launch.seen_at = now


def _pane_state(launch: Launch, told: str, now: datetime) -> str:
    """What is believed of the pane: one that another launch of the account claimed before, and still tells of, is not its.

    A hub that was away heard neither: whoever was heard as lately as this one still tells.
    """
    if told != Launch.CLAIMED:
        return told
    same = {name: getattr(launch, name) for name in ("account_id", "host", "multiplexer", "multiplexer_session", "pane")}
    since = min(launch.seen_at or now, now) - FRESH
    others = Launch.objects.live().filter(**same, pane_state=Launch.CLAIMED, seen_at__gte=since).exclude(pk=launch.pk)
    return Launch.UNCLAIMED if others.exists() else told


def beat(actor: Actor, *, pane_state: str) -> None:
    """The actor's launch is alive and its pane is seen so. Raises NotFound, Gone, Busy. No audit: as a rule it is no news."""
    with short_wait(BUSY_SECONDS), transaction.atomic():
        _beat(actor, pane_state)


def _beat(actor: Actor, pane_state: str) -> None:
    now = clock.now()
    own = Launch.objects.live().filter(pk=actor.launch_id)
    if own.filter(pane_state=pane_state, seen_at__gte=now - FRESH).update(seen_at=now):
        return
    launch = _own_launch(actor)
    before, launch.pane_state, launch.seen_at = launch.pane_state, _pane_state(launch, pane_state, now), now
    launch.save(update_fields=["pane_state", "seen_at"])
    if launch.pane_state != before:
        launch_changed.send(sender=Launch, launch=launch)
        _ring(launch)


def _own_launch(actor: Actor) -> Launch:
    """The actor's launch, locked; its account's other launches wait too, so that no two claim one pane."""
    if actor.account_id is not None:
        _hold_account(actor.account_id)
    launch: Launch | None = Launch.objects.visible_to(actor).select_for_update().filter(pk=actor.launch_id).first()
    if launch is None or actor.launch_id is None:
        raise launch_unknown()
    if not launch.is_live:
        raise launch_has_ended()
    return launch


def _hold_account(account_id: int) -> None:
    Account.objects.select_for_update(no_key=True).filter(pk=account_id).first()


@transaction.atomic
def end(actor: Actor, *, exit_status: int | None = None, reason: str = "") -> Launch:
    """The actor's launch is over, for good. Raises NotFound, Gone (it ended before)."""
    launch = _own_launch(actor)
    _end(actor, launch, reason=reason or "the process ended", exit_status=exit_status)
    return launch


def end_those_of(actor: Actor, connection: Connection) -> None:
    """End the launches that came through a connection; called in the transaction that revokes it."""
    for launch in Launch.objects.live().filter(connection=connection).select_for_update():
        _end(actor, launch, reason=DISCONNECTED)


def sweep(actor: Actor) -> int:
    """End the launches that no launcher told of for five minutes, one a transaction; answers how many."""
    unseen = Launch.objects.live().filter(seen_at__lt=clock.now() - UNSEEN)
    return sum(_sweep_one(actor, launch_id) for launch_id in list(unseen.values_list("pk", flat=True)))


@transaction.atomic
def _sweep_one(actor: Actor, launch_id: int) -> bool:
    unseen = Launch.objects.live().filter(seen_at__lt=clock.now() - UNSEEN)
    launch: Launch | None = unseen.select_for_update().filter(pk=launch_id).first()
    if launch is not None:
        _end(actor, launch, reason=LAUNCHER_GONE)
    return launch is not None


def _end(actor: Actor, launch: Launch, *, reason: str, exit_status: int | None = None) -> None:
    launch.ended_at, launch.end_reason, launch.exit_status = clock.now(), reason, exit_status
    launch.save(update_fields=["ended_at", "end_reason", "exit_status"])
    launch_ended.send(sender=Launch, launch=launch)
    details: dict[str, Any] = {"reason": reason} | ({} if exit_status is None else {"exit_status": exit_status})
    record(actor, "launch.ended", target=launch.key, label=launch.profile, account_id=launch.account_id, **details)
    _ring(launch)


def _tell_started(actor: Actor, launch: Launch, **details: Any) -> None:
    told = {"harness": f"{launch.harness} {launch.harness_version}".strip(), "host": launch.host, **details}
    record(actor, "launch.started", target=launch.key, label=launch.profile, **told)
    launch_begun.send(sender=Launch, launch=launch)
    _ring(launch)


def _ring(launch: Launch) -> None:
    news.publish_on_commit(launch_key(launch.pk))
    news.publish_on_commit(launches_key(launch.account_id))
