"""Where in the chat a page is: at all topics, at one, or at one thread."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from chat.topics import is_topic
from chat.values import MOST_SEQ
from core.pages import number_in


@dataclass(frozen=True, slots=True)
class Place:
    """`thread` is the number of the message that opened it. Neither given: all topics."""

    topic: str | None = None
    thread: int | None = None

    @property
    def query(self) -> str:
        """What says so in an address, without a question mark; empty for all topics."""
        if self.thread is not None:
            return urlencode({"thread": self.thread})
        return urlencode({"topic": self.topic}) if self.topic else ""

    @property
    def address(self) -> str:
        """The page that shows it."""
        if self.thread is not None:
            return reverse("admin:chat-thread", args=[self.thread])
        return f"{reverse('admin:chat')}?{self.query}" if self.topic else reverse("admin:chat")


def place_in(given: Mapping[str, str]) -> Place:
    """The place that the parameters of an address name; what is none counts as not given."""
    thread, topic = number_in(given.get("thread", "")), given.get("topic", "")
    if thread is not None and 1 <= thread <= MOST_SEQ:
        return Place(thread=thread)
    return Place(topic=topic if is_topic(topic) else None)
