"""The page Chat over a WebSocket: new messages as they are stored, and the topics with their counts."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs

from django.template.loader import render_to_string
from django.utils import timezone, translation

from accounts.consumers import PersonConsumer
from accounts.language import language_of
from accounts.sessions import request_from_cookies
from chat import conversation, showing
from chat.conversation import Stretch
from chat.news import chat_key, inbox_key
from chat.place import place_in
from chat.reading import check_cursor
from chat.topics import check_topic
from chat.values import Entry
from core import executors
from core.actor import Actor
from core.errors import Invalid
from core.mounts import headers_of
from core.registry import live_keys
from core.text import byte_length

AT_ONCE = 50
MOST_SAID = 100_000
"""Bytes of text in one piece, but for a single message: escaped it is up to six times as long, and of more than 1 MiB at once
daphne sends nothing, and leaves the page open and deaf."""

MOST_PIECES = 20
BEHIND = 4408
"""How a page is closed that would have to be sent more at once: it loads itself again, with the newest."""


class ChatConsumer(PersonConsumer):
    """`/ws/chat/?after=12&topic=docs/review` (or `&thread=12`): `{"messages": "<li>…", "last_seq": 9, "threads": {"7": "<a>…"}}`,
    and so for each news.

    With the last piece come `topics`, the navigation's `badge`, and those `receipts` that changed. What else the page
    renews itself by, named in `also=push`, is told as `{"changed": ["push"]}`.
    """

    def begin(self) -> None:
        """The number shown last, and the place the page shows."""
        given = {name: values[0] for name, values in parse_qs(self.scope["query_string"].decode("latin-1")).items()}
        after, topic = given.get("after", "0"), given.get("topic")
        if not (after.isascii() and after.isdigit() and len(after) <= 19):
            raise Invalid("after takes the number of the last message shown.")
        if topic:
            check_topic(topic)
        self._after, self._place = check_cursor(int(after)), place_in(given)
        self._receipts: dict[int, str] = {}
        self._also = set(given.get("also", "").split())

    def keys(self, account_id: int) -> list[str]:
        """The account's chat, what is read and offered of it, and what else the page asked to hear."""
        own = [chat_key(account_id), inbox_key(account_id)]
        asked = {key(account_id): name for name, key in live_keys.items() if name in self._also}
        self._others = {key: name for key, name in asked.items() if key not in own}
        return [*own, *self._others]

    async def tell(self, rung: frozenset[str]) -> None:
        """Send what is stored after the last message sent, in pieces; a page too far behind is better drawn anew."""
        changed = sorted(name for key, name in self._others.items() if key in rung or not rung)
        if changed:
            await self.send_json({"changed": changed})
        if rung and rung <= self._others.keys():
            return
        for _ in range(MOST_PIECES):
            piece, more = await executors.read(self._look)
            await self.send_json(piece)
            if not more:
                return
        await self.end(BEHIND)

    def _look(self) -> tuple[dict[str, Any], bool]:
        headers = headers_of(self.scope)
        request = request_from_cookies(headers.get("cookie", ""))
        request.META["HTTP_ACCEPT_LANGUAGE"] = headers.get("accept-language", "")
        actor = self.actor()
        found = conversation.newer(actor, after=self._after, limit=AT_ONCE, topic=self._place.topic, thread=self._place.thread)
        messages = _fitting(found.messages)
        self._after = max([self._after, *(each.seq for each in messages)])
        more = found.has_more or len(messages) < len(found.messages)
        with translation.override(language_of(request)), timezone.override(None):
            piece = self._piece(actor, messages)
            if not more:
                piece |= self._beside(actor)
        return piece, more

    def _piece(self, actor: Actor, messages: Sequence[Entry]) -> dict[str, Any]:
        shown = showing.messages(actor, self._place, Stretch(tuple(messages), has_more=False))
        grown = {thread: {"thread": thread, "seq": thread, "count": count} for thread, count in shown["replies"].items()}
        return {
            "messages": render_to_string("chat/messages.html", shown | {"messages": messages}),
            "last_seq": self._after,
            "threads": {thread: render_to_string("chat/thread_link.html", each) for thread, each in grown.items()},
        }

    def _beside(self, actor: Actor) -> dict[str, Any]:
        told = showing.newest_receipts(actor)
        drawn: dict[int, str] = {seq: render_to_string("chat/receipts.html", {"told": each}) for seq, each in told.items()}
        changed = {seq: text for seq, text in drawn.items() if self._receipts.get(seq) != text}
        self._receipts = drawn
        return {
            "topics": render_to_string("chat/topics.html", showing.topics(actor, self._place)),
            "badge": render_to_string("chat/badge_count.html", {"count": showing.unread_mentions(actor)}),
            "receipts": changed,
        }


def _fitting(messages: Sequence[Entry]) -> Sequence[Entry]:
    """The first of them, as many as one piece takes."""
    taken = 0
    for place, message in enumerate(messages):
        taken += byte_length(message.body)
        if taken > MOST_SAID and place:
            return messages[:place]
    return messages
