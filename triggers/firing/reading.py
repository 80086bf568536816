"""Firings as their owner sees them; an agent sees none."""

from django.db.models import QuerySet

from accounts.permissions import require_owner
from core import clock
from core.actor import Actor
from triggers.models import Firing


def of_account(actor: Actor) -> QuerySet[Firing]:
    """The account's firings, the newest first. Raises Forbidden for an agent's token."""
    found: QuerySet[Firing] = Firing.objects.visible_to(actor).filter(account_id=require_owner(actor)).order_by("-number")
    return found


def asked(actor: Actor) -> QuerySet[Firing]:
    """Those that wait for the owner's word and have not expired, the oldest first."""
    return of_account(actor).filter(state=Firing.ASKED, expires_at__gt=clock.now()).order_by("number")


def listed(
    actor: Actor, *, state: str | None = None, rule: str | None = None, before: int | None = None, limit: int = 50
) -> list[Firing]:
    """The newest, by state or rule where one is given, those below the number `before`."""
    found = of_account(actor).select_related("run")
    if state:
        found = found.filter(state=state)
    if rule:
        found = found.filter(rule=rule)
    if before is not None:
        found = found.filter(number__lt=before)
    return list(found[: max(1, limit)])


def unacked(actor: Actor) -> QuerySet[Firing]:
    """Those the owner has not acknowledged, the oldest first; of those that ask only what can still be answered."""
    expired = {"state": Firing.ASKED, "expires_at__lte": clock.now()}
    return of_account(actor).filter(unacked=True).exclude(**expired).order_by("number")


def one(actor: Actor, number: int) -> Firing | None:
    """The firing of this number, or None: unknown and another owner's alike."""
    return of_account(actor).select_related("run__session").filter(number=number).first()
