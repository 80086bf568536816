"""What of the log its page shows and exports: by door, deed, who, and days."""

from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models import Entry
from core.actor import Actor
from core.errors import Forbidden

RECENT = 1000
"""Among so many of the newest entries the deeds are sought that the page offers."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter; what is empty or None lets everything through. Days are whole days of the hub's time zone."""

    door: str = ""
    deed: str = ""
    who: str = ""
    since: date | None = None
    until: date | None = None

    def parameters(self) -> dict[str, Any]:
        """What is set, for the address of a page."""
        return {name: value for name, value in asdict(self).items() if value}


def entries(actor: Actor, wanted: Wanted) -> "QuerySet[Entry]":
    """The account's entries that fit, newest first. Raises Forbidden for an actor without an account."""
    rows = _own(actor)
    if wanted.door:
        rows = rows.filter(door=wanted.door)
    if wanted.deed:
        rows = rows.filter(deed__startswith=wanted.deed)
    if wanted.who:
        rows = rows.filter(Q(who__icontains=wanted.who) | Q(connection_id=wanted.who))
    if wanted.since:
        rows = rows.filter(at__gte=midnight(wanted.since))
    if wanted.until:
        rows = rows.filter(at__lt=midnight(wanted.until + timedelta(days=1)))
    return rows.order_by("-id")


def recent_deeds(actor: Actor) -> list[str]:
    """The deeds among the account's newest entries, by name."""
    newest = _own(actor).order_by("-id").values_list("deed", flat=True)[:RECENT]
    return sorted(set(newest))


def midnight(day: date) -> datetime:
    """A day's first moment in the hub's time zone."""
    return timezone.make_aware(datetime.combine(day, time.min))


def _own(actor: Actor) -> "QuerySet[Entry]":
    if actor.account_id is None:
        raise Forbidden(_("You have no account of your own, and so no log; staff find every entry under This hub."))
    rows: QuerySet[Entry] = Entry.objects.visible_to(actor)
    return rows.filter(account_id=actor.account_id)
