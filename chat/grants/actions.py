"""Everything that changes grants: the owner gives and takes them, and they end with what they were given for."""

from django.conf import settings
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.launches.actions import FRESH
from accounts.launches.news import launches_key
from accounts.models import Launch
from audit.actions import record
from chat.grants import rules
from chat.grants.news import ring
from chat.grants.reading import suggested_handle
from chat.models import Attendance, Grant
from chat.permissions import may_decide
from core import clock, news
from core.actor import Actor, system
from core.errors import Conflict, DomainError, Forbidden, Invalid, NotFound
from core.locks import short_wait
from core.text import one_line

REASON_LENGTH = 100
REFUSED_SECONDS = 60
GRANTABLE_PANES = frozenset({Launch.CLAIMED, Launch.NO_PANE})
"""What a pane must be for its launch to be granted and to stay so; without one it is granted chat alone."""


def grant(actor: Actor, *, launch_key: str, typed: str, handle: str | None = None, wake: bool = False) -> Grant:
    """Let one launch chat under `handle` (none: the one suggested), which the owner typed; `wake`: mentions wake it too.

    Raises Forbidden (not the owner in person), NotFound (unknown or foreign launch), Invalid (handle), Conflict (the launch
    cannot be granted now, or the handle is taken), Busy. A refusal is recorded too.
    """
    try:
        with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
            return _grant(actor, launch_key, typed, handle, wake)
    except DomainError as refusal:
        _record_refusal(actor, launch_key, refusal)
        raise


def _grant(actor: Actor, launch_key: str, typed: str, handle: str | None, wake: bool) -> Grant:
    launch = _own_launch(actor, launch_key)
    note = _check_grantable(launch, wake)
    chosen = suggested_handle(actor, launch) if handle is None else handle
    _check_handle(launch, chosen, typed)
    try:
        with transaction.atomic():
            given = Grant.objects.create(  # type: ignore[misc]  # may_decide let in nobody without a user
                account_id=launch.account_id, launch=launch, handle=chosen, wake=wake, note=note,
                granted_at=clock.now(), granted_by=actor.user_id,
            )  # fmt: skip
    except IntegrityError:  # somebody granted this handle at the same moment
        raise _handle_taken(chosen) from None
    _begin_attendance(launch)
    kind = "chat+wake" if wake else "chat"
    more = {"note": note} if note else {}
    record(actor, "chat.granted", target=launch.key, label=chosen, account_id=launch.account_id, grant=kind, **more)
    ring(launch.account_id, launch.pk)
    return given


def _begin_attendance(launch: Launch) -> None:
    """Until its hooks, which were silent before, say otherwise, an agent that has hooks counts as done since its grant."""
    idle = {"status": Attendance.DONE, "status_at": clock.now()} if launch.harness in rules.HOOKED else {}
    Attendance.objects.update_or_create(launch=launch, defaults={"account_id": launch.account_id, **idle})


def revoke(actor: Actor, *, launch_key: str) -> Grant:
    """Take a launch's grant back: its next call is refused. Twice is no error and is recorded once.

    Raises Forbidden (not the owner in person), NotFound (unknown or foreign launch), Conflict (it was never granted), Busy.
    """
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        launch = _own_launch(actor, launch_key)
        newest: Grant | None = Grant.objects.filter(launch=launch).select_for_update().first()
        if newest is None:
            raise Conflict(_("This launch holds no grant, so there is none to revoke."), code="never_granted")
        _end(actor, newest, launch, Grant.REVOKED)
        return newest


def end_stale(launch: Launch, *, reason: str) -> None:
    """End what this launch was granted, because what it was given for is over; part of the deed that found so."""
    live: Grant | None = Grant.objects.filter(launch=launch, ended_at=None).select_for_update().first()
    if live is not None:
        _end(system(account_id=launch.account_id), live, launch, Grant.STALE, reason)


def _end(actor: Actor, given: Grant, launch: Launch, end: str, reason: str = "") -> None:
    if given.ended_at is not None:
        return
    given.ended_at, given.end, given.end_reason = clock.now(), end, one_line(reason, REASON_LENGTH)
    given.save(update_fields=["ended_at", "end", "end_reason"])
    details = {"reason": given.end_reason} if reason else {}
    record(actor, f"chat.{end}", target=launch.key, label=given.handle, account_id=launch.account_id, **details)
    ring(launch.account_id, launch.pk)


def note_tools_listed(actor: Actor) -> None:
    """The client of a granted launch listed the chat's tools; written once a grant. No audit, as of every read."""
    if actor.launch_id is None or actor.account_id is None:
        return
    live = Grant.objects.filter(launch_id=actor.launch_id, account_id=actor.account_id, ended_at=None)
    granted_at = live.values_list("granted_at", flat=True).first()
    if granted_at is None:
        return
    before = Q(tools_listed_at=None) | Q(tools_listed_at__lt=granted_at)
    behind = Attendance.objects.filter(before, launch_id=actor.launch_id)
    if behind.exists():
        with transaction.atomic():
            behind.update(tools_listed_at=clock.now())
            news.publish_on_commit(launches_key(actor.account_id))


def note_refused(actor: Actor, refusal: DomainError) -> None:
    """A call of an agent that is not granted was refused; written once in a while, however often it calls."""
    if _was_told_of("ungranted", actor):
        return
    launch = Launch.objects.filter(pk=actor.launch_id).values_list("key", flat=True).first() if actor.launch_id else None
    record(actor, "chat.refused", target=launch or actor.connection_id, reason=refusal.code)


def _own_launch(actor: Actor, key: str) -> Launch:
    """The launch of that key in the actor's own account, locked; a foreign one is as unknown as one that never was."""
    if not may_decide(actor):
        raise Forbidden(
            _("Only the owner in person grants and revokes; do it on the page Launches or with tertulia chat grant."),
            code="owner_only",
        )
    own = Launch.objects.visible_to(actor).filter(account_id=actor.account_id)
    launch: Launch | None = own.select_for_update().filter(key=key).first() if rules.is_launch_key(key) else None
    if launch is None:
        raise NotFound(_("No such launch; look it up in the list of launches."), code="unknown_launch")
    return launch


def _check_grantable(launch: Launch, wake: bool) -> str:
    """Raise Conflict with the reason why this launch cannot be granted now; else answer what its owner should know of it."""
    if not launch.is_live:
        raise Conflict(_("This launch has ended; start the agent anew with tertulia launch and grant that."), code="launch_ended")
    held = Grant.objects.filter(launch=launch, ended_at=None).values_list("handle", flat=True).first()
    if held is not None:
        said = _("This launch chats already, as @%(handle)s; revoke that first to give it another handle.")
        raise Conflict(said % {"handle": held}, code="already_granted")
    if not launch.is_verified:
        raise Conflict(
            _("Which process this is cannot be verified: it has no start token. Start it with tertulia launch on Linux."),
            code="unverified",
        )
    _check_pane(launch)
    if wake and not launch.wakeable:
        raise Conflict(
            _("Nobody can type into this launch's pane, so it cannot be woken; grant it chat alone."), code="not_wakeable"
        )
    return _check_harness(launch)


def _check_pane(launch: Launch) -> None:
    if launch.pane_state not in GRANTABLE_PANES:
        said = _("The pane is %(state)s; start the agent anew with tertulia launch in a pane of its own.")
        raise Conflict(said % {"state": launch.get_pane_state_display()}, code=f"pane_{launch.pane_state}")
    silent = clock.now() - launch.seen_at
    if silent > FRESH:
        said = _("Its launcher has told nothing of the pane for %(seconds)d seconds; see that it reaches the hub and try again.")
        raise Conflict(said % {"seconds": int(silent.total_seconds())}, code="launcher_silent")


def _check_harness(launch: Launch) -> str:
    if launch.harness != "pi":
        return ""
    age = rules.pi_age(launch.harness_version)
    if age == "too old":
        said = _("Pi %(version)s cannot be told of mentions; update it to %(least)s or newer and launch it again.")
        least = ".".join(str(part) for part in rules.FIRST_PI)
        raise Conflict(said % {"version": one_line(launch.harness_version, 64), "least": least}, code="harness_too_old")
    return str(_("The version of Pi could not be read; before 0.99.0 it is told of no mention.")) if age == "unreadable" else ""


def _check_handle(launch: Launch, handle: str, typed: str) -> None:
    if not rules.is_handle(handle):
        raise Invalid(
            _("A handle is 1 to 32 characters of a-z 0-9 - and does not look like maintainer, for example lead-2."),
            code="invalid_handle",
        )
    if Grant.objects.filter(account_id=launch.account_id, handle=handle, ended_at=None).exists():
        raise _handle_taken(handle)
    if typed != handle:
        raise Invalid(
            _("Type the handle exactly: %(handle)s. Nothing was granted.") % {"handle": handle}, code="handle_not_typed"
        )


def _handle_taken(handle: str) -> Conflict:
    said = _("Another launch chats as @%(handle)s; choose another handle, or revoke that one first.")
    return Conflict(said % {"handle": handle}, code="handle_taken")


def _was_told_of(what: str, actor: Actor) -> bool:
    """Whether this was written of the caller a short while ago: nobody fills the log by trying."""
    return not cache.add(f"{what}:{actor.author}", True, timeout=REFUSED_SECONDS)


def _record_refusal(actor: Actor, launch_key: str, refusal: DomainError) -> None:
    if actor.is_agent and _was_told_of("grants", actor):
        return
    target = launch_key if rules.is_launch_key(launch_key) else ""
    record(actor, "chat.grant_refused", target=target, reason=refusal.code)
