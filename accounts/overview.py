"""What the pages Home and Connect tell of an account's connections."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from oauth2_provider.models import get_device_grant_model, get_grant_model

from accounts.models import Connection
from accounts.querysets import ConnectionQuerySet
from core import clock
from core.actor import Actor
from core.registry import HomeCard

LATELY = timedelta(hours=1)
SHOWN = 5


@dataclass(frozen=True, slots=True)
class InUse:
    """How many connections stand, how many of them called within the last hour, whether any ever called, the last callers."""

    active: int
    lately: int
    ever_called: bool
    newest: tuple[Connection, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """How far the connecting of an agent has come: a client was let in, its connection stands, it made its first call."""

    allowed: bool
    connection: Connection | None

    @property
    def called(self) -> bool:
        """Whether the agent has been heard."""
        return self.connection is not None and self.connection.last_used_at is not None


def own_connections(actor: Actor) -> ConnectionQuerySet:
    """Connections of the actor's own account: staff see the others' in the admin lists, not on the owner's pages."""
    rows: ConnectionQuerySet = Connection.objects.visible_to(actor)
    return rows.none() if actor.account_id is None else rows.filter(account_id=actor.account_id)


def in_use(actor: Actor) -> InUse:
    """The account's connections in two queries."""
    rows, active = own_connections(actor), Q(revoked_at=None)
    told = rows.order_by().aggregate(
        active=Count("pk", filter=active),
        lately=Count("pk", filter=active & Q(last_used_at__gte=clock.now() - LATELY)),
        called=Count("last_used_at"),
    )
    newest = rows.active().exclude(last_used_at=None).order_by("-last_used_at", "id")[:SHOWN]
    return InUse(active=told["active"], lately=told["lately"], ever_called=bool(told["called"]), newest=tuple(newest))


def steps(actor: Actor, *, since: datetime | None = None) -> Steps:
    """How far the newest connection has come, of those made from `since` on."""
    rows = own_connections(actor).active()
    if since is not None:
        rows = rows.filter(created_at__gte=since)
    found = rows.order_by(F("last_used_at").desc(nulls_last=True), "-created_at").first()
    return Steps(allowed=found is not None or _let_in(actor), connection=found)


def _let_in(actor: Actor) -> bool:
    """Whether the person allowed a client that has yet to fetch its tokens."""
    waiting = {"user_id": actor.user_id, "expires__gt": clock.now()}
    devices = get_device_grant_model()
    codes = get_grant_model().objects.filter(**waiting)
    return bool(codes.exists() or devices.objects.filter(**waiting, status=devices.AUTHORIZED).exists())


def waiting(actor: Actor) -> list[HomeCard]:
    """The card of an account whose every agent has gone; one that never had any is told on the page itself."""
    rows = own_connections(actor)
    if rows.active().exists() or not rows.exclude(last_used_at=None).exists():
        return []
    return [HomeCard(_("No agent is connected any more."), reverse("admin:connect"), _("Connect an agent"))]
