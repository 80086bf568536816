"""Reads of launches and their grants, as pages, REST and the gate of the chat's tools ask for them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import F

from accounts.models import Launch
from accounts.querysets import LaunchQuerySet
from chat import store
from chat.grants import rules
from chat.grants.rules import State
from chat.models import Attendance, Grant
from chat.permissions import account_of
from chat.querysets import GrantQuerySet
from core.actor import Actor
from core.errors import NotFound
from core.tools import Access


@dataclass(frozen=True, slots=True)
class LaunchLine:
    """One launch as its owner sees it: its newest grant, live or ended, and what its client and hooks told."""

    launch: Launch
    grant: Grant | None
    attendance: Attendance | None
    state: State

    @property
    def handle(self) -> str:
        """The handle it chats under now, or nothing."""
        return self.grant.handle if self.grant is not None and self.grant.ended_at is None else ""


def launches(actor: Actor) -> LaunchQuerySet:
    """The account's launches that the actor sees: those that run first, then the newest. Raises Forbidden without an account."""
    own: LaunchQuerySet = Launch.objects.visible_to(actor).filter(account_id=account_of(actor))
    return own.order_by(F("ended_at").desc(nulls_first=True), "-started_at", "-pk")


def lines(rows: Iterable[Launch]) -> list[LaunchLine]:
    """These launches with their grants and states, in their order; two statements, however many they are."""
    found = list(rows)
    ids = [launch.pk for launch in found]
    newest = {each.launch_id: each for each in Grant.objects.filter(launch_id__in=ids).order_by("id")}
    attended = Attendance.objects.in_bulk(ids)
    return [_line(launch, newest.get(launch.pk), attended.get(launch.pk)) for launch in found]


def _line(launch: Launch, given: Grant | None, attended: Attendance | None) -> LaunchLine:
    return LaunchLine(launch=launch, grant=given, attendance=attended, state=state_of(launch, given, attended))


def state_of(launch: Launch, given: Grant | None, attended: Attendance | None) -> State:
    """How far a launch has come with one of its grants, or without any."""
    return rules.state_of(
        is_live=launch.is_live,
        granted_at=given.granted_at if given else None,
        end=given.end if given else "",
        listed_at=attended.tools_listed_at if attended else None,
    )


def launch_lines(actor: Actor) -> list[LaunchLine]:
    """The launches that run, the newest first."""
    return lines(launches(actor).live())


def launch_line(actor: Actor, launch_key: str) -> LaunchLine:
    """One launch; raises NotFound for an unknown and a foreign key alike."""
    found = lines(launches(actor).filter(key=launch_key)) if rules.is_launch_key(launch_key) else []
    if not found:
        raise NotFound("No such launch; look it up in the list of launches.", code="unknown_launch")
    return found[0]


def grants(actor: Actor) -> GrantQuerySet:
    """The account's grants that the actor sees, the newest first, ended ones too, each with its launch."""
    own: GrantQuerySet = Grant.objects.visible_to(actor).filter(account_id=account_of(actor))
    return own.select_related("launch").order_by("-id")


def live_handles(account_id: int) -> set[str]:
    """The handles of the account's live grants."""
    return set(Grant.objects.filter(account_id=account_id, ended_at=None).values_list("handle", flat=True))


def suggested_handle(actor: Actor, launch: Launch) -> str:
    """The handle that is offered for a launch: its profile, or that with the first number free in the actor's account."""
    return rules.suggestion(launch.profile, live_handles(account_of(actor)))


def tool_access(actor: Actor) -> Access:
    """Whether the chat's tools are shown to this agent now, and whether the hub itself knows what it is called."""
    standing = store.standing(account_of(actor), actor.connection_id, actor.launch_id)
    return Access(is_open=standing.admitted, is_named=bool(standing.handle))
