"""What the pages of the push inbox show, read as whoever asks."""

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from core import clock
from core.actor import Actor
from core.errors import NotFound
from triggers.firing import reading as fired
from triggers.models import Firing, PushMessage, PushServer, TriggerSettings
from triggers.owning.words import TROUBLE

AT_ONCE = 50
ASKED_SHOWN = 20
NAMES_FROM = 1_000
"""So many newest messages say by which servers and channels the list can be filtered."""
NAMES_MOST = 200
FIRINGS_OF_MESSAGE = 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which messages are shown. `every`: cleared and older ones too, the whole trail."""

    server: str = ""
    channel: str = ""
    text: str = ""
    every: bool = False

    @property
    def is_filter(self) -> bool:
        """Whether anything is left out by it."""
        return bool(self.server or self.channel or self.text)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some rows in their order; `older`: the number to go on before, None where nothing is left."""

    rows: list[Any]
    older: int | None


def own(model: Any, actor: Actor) -> QuerySet[Any]:
    """Rows of the actor's own account, staff's too."""
    rows: QuerySet[Any] = model.objects.visible_to(actor).filter(account_id=actor.account_id)
    return rows


def kept(actor: Actor) -> TriggerSettings:
    """The account's settings of its push inbox."""
    found = own(TriggerSettings, actor).first()
    if found is None:
        raise NotFound(_("You have no account of your own, and so no push inbox; sign in as an owner."))
    return found  # type: ignore[no-any-return]


def ring(actor: Actor) -> QuerySet[PushMessage]:
    """The live list: the newest messages that were not cleared."""
    rows: QuerySet[PushMessage] = PushMessage.objects.visible_to(actor).filter(account_id=actor.account_id).ring()
    return rows


def messages(actor: Actor, wanted: Wanted, *, before: int | None) -> Stretch:
    """Messages that fit, newest first."""
    rows = own(PushMessage, actor) if wanted.every else ring(actor)
    if wanted.server:
        rows = rows.filter(server=wanted.server)
    if wanted.channel and wanted.channel != "*":
        rows = rows.filter(channel=wanted.channel)
    if wanted.text:
        rows = rows.filter(content__icontains=wanted.text)
    return _stretch(rows, "seq", before)


def _stretch(rows: QuerySet[Any], number: str, before: int | None) -> Stretch:
    if before is not None:
        rows = rows.filter(**{f"{number}__lt": before})
    return _cut(list(rows.order_by(f"-{number}")[: AT_ONCE + 1]), number)


def _cut(found: list[Any], number: str) -> Stretch:
    shown = found[:AT_ONCE]
    return Stretch(shown, getattr(shown[-1], number) if len(found) > AT_ONCE else None)


def names(actor: Actor) -> tuple[list[str], list[str]]:
    """Servers and channels of the newest messages, for the filter."""
    newest = own(PushMessage, actor).order_by("-seq").values("pk")[:NAMES_FROM]
    pairs = PushMessage.objects.filter(pk__in=newest).order_by().values_list("server", "channel").distinct()
    held = list(pairs[: NAMES_MOST * 2])
    return sorted({server for server, _channel in held})[:NAMES_MOST], sorted({channel for _server, channel in held})[:NAMES_MOST]


@dataclass(frozen=True, slots=True)
class Told:
    """What every page tells: how many firings ask, how many messages are new, the newest firing's number, whether rules rest."""

    asked: int = 0
    unread: int = 0
    last_firing: int = 0
    paused: bool = False


def told(actor: Actor) -> Told | None:
    """In one query, for every page asks; None where the actor has no account."""
    if actor.account_id is None:
        return None
    asking = (
        Firing.objects.filter(account_id=OuterRef("pk"), state=Firing.ASKED, expires_at__gt=clock.now())
        .order_by()
        .values("account_id")
    )
    asked = Coalesce(Subquery(asking.annotate(many=Sum(Value(1))).values("many")), 0)
    rows = own(TriggerSettings, actor).annotate(asked=asked).values_list("asked", "unread", "last_firing", "paused_at")
    return next((Told(asks, new, last, paused is not None) for asks, new, last, paused in rows), None)


def message(actor: Actor, seq: int) -> PushMessage:
    """Raises NotFound, foreign and unknown alike."""
    found = own(PushMessage, actor).filter(seq=seq).first()
    if found is None:
        raise NotFound(_("There is no push message of this number; look it up in the inbox."))
    return found  # type: ignore[no-any-return]


def is_live(actor: Actor, held: PushMessage) -> bool:
    """Whether it is on the live list."""
    return not held.cleared and ring(actor).filter(pk=held.pk).exists()


def firings_of(held: PushMessage) -> list[Firing]:
    """What rules made of a message, newest first."""
    rows = Firing.objects.filter(account_id=held.account_id, seq=held.seq, fired_at__gte=held.received_at)
    return list(rows.order_by("-number")[:FIRINGS_OF_MESSAGE])


def asked(actor: Actor) -> list[Firing]:
    """What waits for the owner's yes or no, the oldest first."""
    return list(fired.asked(actor)[:ASKED_SHOWN])


def unacked(actor: Actor) -> tuple[list[Firing], int]:
    """Firings since the owner acknowledged last, newest first, and how many; those that wait for his answer stand elsewhere."""
    rows = fired.unacked(actor).exclude(state=Firing.ASKED)
    return list(rows.order_by("-number")[:ASKED_SHOWN]), rows.count()


def firings(actor: Actor, *, state: str = "", rule: str = "", before: int | None = None) -> Stretch:
    """Firings that fit, newest first."""
    rows = fired.listed(actor, state=state, rule=rule, before=before, limit=AT_ONCE + 1)
    return _cut(rows, "number")


def firing(actor: Actor, number: int) -> Firing:
    """Raises NotFound, foreign and unknown alike."""
    found = fired.one(actor, number)
    if found is None:
        raise NotFound(_("There is no firing of this number; look it up in the list of firings."))
    return found


def fresh_firings(actor: Actor, *, after: int, most: int) -> tuple[list[Firing], int]:
    """The newest firings after a number, oldest first, and how many there are in all."""
    rows = fired.of_account(actor).filter(number__gt=after)
    count = rows.count()
    return list(reversed(rows[:most])) if count else [], count


def in_trouble(actor: Actor) -> list[PushServer]:
    """Servers that should push and cannot."""
    return list(own(PushServer, actor).filter(enabled=True, state__in=TROUBLE).order_by("name")[:ASKED_SHOWN])
