"""What is read of the push inbox: the live list, the trail, what waits for attention."""

from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from core.actor import Actor
from core.errors import NotFound
from triggers.firing import reading as firing
from triggers.inbox import lines
from triggers.models import Firing, PushMessage, TriggerSettings
from triggers.permissions import require_reader
from triggers.querysets import MessageQuerySet
from triggers.values import LIST_SHOWN

EVERY = "*"
BANNER_LINES = 20


@dataclass(frozen=True, slots=True)
class Listed:
    """Messages, oldest first; `total` counts the live list (or the trail, where that was asked for) before any filter, and
    `unread` what waits for attention in the account."""

    messages: list[PushMessage]
    total: int
    unread: int


@dataclass(frozen=True, slots=True)
class BannerLine:
    """One firing of the banner: its number, whether it asks the owner, and `[server/channel] rule preview`."""

    number: int
    asks: bool
    text: str


@dataclass(frozen=True, slots=True)
class Banner:
    """What stands above the list while something waits: how many messages came since the last ack, the firings since then,
    how many more of them there are, and the commands that help."""

    messages: int
    lines: tuple[BannerLine, ...]
    more: int
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A server and a channel of the live list, with how many of its messages there are."""

    server: str
    channel: str
    messages: int
    unread: int


def listed(
    actor: Actor,
    *,
    channel: str | None = None,
    server: str | None = None,
    every: bool = False,
    limit: int = LIST_SHOWN,
    before: int | None = None,
) -> Listed:
    """The newest of the live list, or with `every` of all that is kept; `channel` None, empty or `*`: of all channels.

    `before`: only messages with lower numbers, to turn the page. Raises Forbidden (scope).
    """
    account_id = require_reader(actor)
    ours = _ours(actor, account_id)
    rows, total = (ours, _counted(account_id, "stored")) if every else _ring_counted(ours)
    if channel and channel != EVERY:
        rows = rows.filter(channel=channel)
    if server:
        rows = rows.filter(server=server)
    if before is not None:
        rows = rows.filter(seq__lt=before)
    return Listed(_oldest_first(rows, limit), total, _counted(account_id, "unread"))


def recent(account_id: int, count: int) -> list[PushMessage]:
    """The newest of the live list, oldest first, at most `count`; what lies below the list is never reached."""
    rows = PushMessage.objects.filter(account_id=account_id, cleared=False)
    return _oldest_first(rows, min(count, settings.PUSH_RING_MESSAGES))


def unread(actor: Actor) -> int:
    """How many messages came since the last ack and count. Raises Forbidden (scope)."""
    return _counted(require_reader(actor), "unread")


def unread_messages(actor: Actor, *, limit: int = LIST_SHOWN) -> list[PushMessage]:
    """The newest that wait for attention, oldest first, handled news never among them. Raises Forbidden (scope)."""
    return _oldest_first(_ours(actor, require_reader(actor)).filter(unread=True), limit)


def banner(actor: Actor) -> Banner | None:
    """What waits for the owner, or None if nothing does; an agent is told of messages alone. Raises Forbidden (scope)."""
    messages = unread(actor)
    fired, more = ((), 0) if actor.is_agent else _firings(actor)
    if not messages and not fired:
        return None
    asks = tuple(f"confirm {line.number} yes|no" for line in fired if line.asks)
    return Banner(messages, fired, more, ("ack", "list", *asks))


def _firings(actor: Actor) -> tuple[tuple[BannerLine, ...], int]:
    """The newest that ask and the newest others, by number, and how many are left out."""
    both = (firing.asked(actor), firing.unacked(actor).exclude(state=Firing.ASKED))
    newest = [list(rows.order_by("-number")[:BANNER_LINES]) for rows in both]
    more = sum(rows.count() - BANNER_LINES for rows, found in zip(both, newest, strict=True) if len(found) == BANNER_LINES)
    shown = sorted((row for found in newest for row in found), key=lambda row: row.number)
    return tuple(map(_banner_line, shown)), more


def _banner_line(row: Firing) -> BannerLine:
    said = f"[{lines.place(row.server, row.channel)}] {lines.preview(row.rule)} {lines.preview(row.content)}"
    return BannerLine(row.number, row.state == Firing.ASKED, said)


def one(actor: Actor, seq: int) -> PushMessage:
    """The message of this number, also one that left the live list. Raises Forbidden (scope), NotFound."""
    rows = _ours(actor, require_reader(actor))
    message: PushMessage | None = rows.filter(seq=seq).first() if 0 < seq < 2**63 else None
    if message is None:
        raise NotFound(_("There is no push message %(seq)s; the list shows which there are.") % {"seq": seq})
    return message


def places(actor: Actor) -> list[Place]:
    """Which servers and channels the live list shows, by name. Raises Forbidden (scope)."""
    rows = _ours(actor, require_reader(actor)).ring()
    counts = rows.order_by("server", "channel").values_list("server", "channel")
    return [Place(*row) for row in counts.annotate(messages=Count("pk"), waiting=Count("pk", filter=Q(unread=True)))]


def _ours(actor: Actor, account_id: int) -> MessageQuerySet:
    seen: MessageQuerySet = PushMessage.objects.visible_to(actor).filter(account_id=account_id)
    return seen


def _ring_counted(ours: MessageQuerySet) -> tuple[MessageQuerySet, int]:
    """`ours.ring()` and how many they are, in one query."""
    live = ours.filter(cleared=False)
    shown = list(live.order_by("-seq").values_list("seq", flat=True)[: settings.PUSH_RING_MESSAGES])
    return (live.filter(seq__gte=shown[-1]), len(shown)) if shown else (live.none(), 0)


def _counted(account_id: int, counter: str) -> int:
    """A counter of the account's row, which its messages' lock keeps true."""
    return TriggerSettings.objects.filter(pk=account_id).values_list(counter, flat=True).first() or 0


def _oldest_first(rows: "QuerySet[PushMessage]", limit: int) -> list[PushMessage]:
    newest = rows.order_by("-seq")[: max(limit, 0)]
    return list(newest)[::-1]
