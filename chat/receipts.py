"""What became of a post, for whoever wrote it: of each name it mentions, never more than is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from chat.cursors.store import own
from chat.mentions import MOST_MENTIONS
from chat.models import Mention
from chat.store import execute
from chat.topics import RESERVED_NAME
from chat.values import OWNER_TARGET, Reader

LOOKED_AT = 50
"""Of a reader's newest posts so many are looked through for those that mention somebody."""


class State(StrEnum):
    """How far a mention has come, as far as the hub knows."""

    STORED = "stored"
    OFFERED = "offered"
    READ = "read"
    REPLIED = "replied"


@dataclass(frozen=True, slots=True)
class MentionReceipt:
    """What became of one mention. `offered_by`: digest, wake or tool; `reply_seq`: the first answer to the message."""

    name: str
    verified: bool
    offered_at: datetime | None
    offered_by: str
    read_at: datetime | None
    reply_seq: int | None

    @property
    def state(self) -> State:
        """The furthest it came."""
        if self.reply_seq is not None:
            return State.REPLIED
        if self.read_at is not None:
            return State.READ
        return State.OFFERED if self.offered_at is not None else State.STORED


@dataclass(frozen=True, slots=True)
class PostReceipts:
    """One post and the receipts of those it mentions."""

    seq: int
    topic: str
    mentions: Sequence[MentionReceipt]


def of_messages(account_id: int, numbers: Sequence[int]) -> dict[int, list[MentionReceipt]]:
    """The receipts of each of these messages that mentions somebody."""
    found: dict[int, list[MentionReceipt]] = {}
    for mention in Mention.objects.filter(account_id=account_id, seq__in=numbers).order_by("seq", "id"):
        found.setdefault(mention.seq, []).append(_receipt(mention))
    return found


def newest_of(account_id: int, reader: Reader, most: int) -> list[PostReceipts]:
    """The receipts of the reader's newest posts that mention somebody, newest first, at most `most` of them and 20 mentions."""
    mine, whose = own(reader)
    sql = f"""
        SELECT m.seq, m.topic, m.mentions FROM chat_message m WHERE m.account_id = %s AND m.author = %s AND {mine}
        ORDER BY m.seq DESC LIMIT %s
    """  # noqa: S608 -- the only text put in is our own
    posts = execute(sql, [account_id, reader.author, *whose, LOOKED_AT])
    mentioning = {seq: topic for seq, topic, mentions in posts if mentions != "[]"}
    told = of_messages(account_id, list(mentioning))
    shown, room = list[PostReceipts](), MOST_MENTIONS
    for seq, topic in mentioning.items():
        if seq not in told:
            continue
        room -= len(told[seq])
        if room < 0 or len(shown) == most:
            break
        shown.append(PostReceipts(seq, topic, told[seq]))
    return shown


def _receipt(mention: Mention) -> MentionReceipt:
    kind, _, name = mention.target.partition(":")
    return MentionReceipt(
        name=RESERVED_NAME if mention.target == OWNER_TARGET else name,
        verified=kind != "session",
        offered_at=mention.offered_at,
        offered_by=mention.offered_by,
        read_at=mention.read_at,
        reply_seq=mention.reply_seq,
    )
