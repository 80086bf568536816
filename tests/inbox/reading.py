"""What the tests of reading say often."""

from collections.abc import Sequence

from chat.models import Cursor
from chat.reading_chosen import Wanted, ends, read
from chat.values import Page
from core.actor import Actor
from tests import make


def numbers(page: Page) -> list[int]:
    return [entry.seq for entry in page.messages]


def seen(actor: Actor, **wanted: object) -> list[int]:
    """The numbers of what is read."""
    return numbers(read(actor, Wanted(**wanted)))  # type: ignore[arg-type]


def read_and_mark(actor: Actor, *, session_name: str | None = None, **wanted: object) -> list[int]:
    """As chat_read with mark_read does."""
    from chat.cursors.actions import mark_read

    page = read(actor, Wanted(session_name=session_name, **wanted))  # type: ignore[arg-type]
    mark_read(actor, ends(page), session_name=session_name)
    return numbers(page)


def cursors(target: str) -> dict[str, int]:
    return dict(Cursor.objects.filter(reader=target).values_list("topic", "seq"))


def several(who: make.Person, count: int, **more: object) -> Sequence[int]:
    """So many messages of one peer, however many a minute he may post."""
    peers = [make.agent(who) for _ in range(-(-count // 25))]
    return [make.message(who, f"message {place}", by=peers[place // 25], **more) for place in range(count)]  # type: ignore[arg-type]
