"""What parts of this app hear of its messages."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.dispatch import Signal

if TYPE_CHECKING:
    from triggers.models import PushMessage


@dataclass(frozen=True, slots=True)
class Stored:
    """A message as those who hear of it are told: nothing they do with it reaches the inbox, or another one who hears."""

    seq: int
    server: str
    channel: str
    content: str
    handled: bool
    received_at: datetime

    @classmethod
    def of(cls, message: "PushMessage") -> Self:
        """What is told of this message."""
        return cls(message.seq, message.server, message.channel, message.content, message.handled, message.received_at)


messages_stored = Signal()
"""Sent within the transaction that stored push messages: `sender=PushMessage, account_id=…, messages=(Stored, …)`."""
