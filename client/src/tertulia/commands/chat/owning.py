"""chat topics, topic-create, topic-archive, prune, purge."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tertulia.commands import completing
from tertulia.commands.options import BrowserOption, HubOption, JsonOption, MaintainerOption, as_owner, opened
from tertulia.problems import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

WORD = "purge"
TopicArgument = Annotated[str, typer.Argument(metavar="TOPIC", autocompletion=completing.topics)]


def topics(
    maintainer: MaintainerOption = False, browser: BrowserOption = False, hub: HubOption = None, json: JsonOption = False
) -> None:
    """List the topics, the busiest first."""
    from tertulia import chat
    from tertulia.store.topics import remember
    from tertulia.view import show_table
    from tertulia.voice import answer_json, prints_to_terminal, tell

    with opened(hub, maintainer=maintainer, browser=browser) as to:
        rows = chat.topics(to)
        remember(to.address, [row["topic"] for row in rows])
    if json:
        answer_json({"results": rows})
        return
    if not rows:
        tell("Nobody has posted yet.")
    times = _times() if prints_to_terminal() else str
    cells = [
        (row["topic"], str(row.get("messages", "")), f"#{row.get('last_seq', '')}", times(row.get("last_time", "")))
        for row in rows
    ]
    show_table(("topic", "messages", "last", "at"), cells)


def _times() -> "Callable[[object], str]":
    from tertulia.view.terminal import local_time

    return lambda value: local_time(str(value))


def topic_create(topic: TopicArgument, browser: BrowserOption = False, hub: HubOption = None) -> None:
    """Create a topic, as the owner."""
    from tertulia import chat
    from tertulia.store.topics import remember
    from tertulia.voice import answer

    with as_owner(hub, browser=browser) as owner:
        owner.ask("POST", chat.TOPICS, body={"topic": topic})
        remember(owner.address, [topic])
    answer(f"Created the topic {topic}.")


def topic_archive(
    topic: TopicArgument,
    undo: Annotated[bool, typer.Option("--undo", help="Open it again.")] = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
) -> None:
    """Archive a topic: it can be read, but not posted in."""
    from tertulia import chat
    from tertulia.voice import answer

    with as_owner(hub, browser=browser) as owner:
        owner.ask("POST", chat.ARCHIVE, body={"topic": topic, "archived": not undo})
    answer(f"Opened the topic {topic} again." if undo else f"Archived the topic {topic}.")


def prune(browser: BrowserOption = False, hub: HubOption = None) -> None:
    """Remove now what is older than the owner keeps."""
    from tertulia import chat
    from tertulia.voice import answer

    with as_owner(hub, browser=browser) as owner:
        answer(f"Removed {_count(owner.ask('POST', chat.PRUNE))} messages.")


def purge(
    yes: Annotated[bool, typer.Option("--yes", help="Do not have the word typed.")] = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
) -> None:
    """Remove every message of the account. The numbers go on where they were."""
    from tertulia import chat
    from tertulia.surroundings import world
    from tertulia.voice import answer

    with as_owner(hub, browser=browser) as owner:
        if not yes and world.ask(f"Every message at {owner.address} goes, for good. Type {WORD} to do it: ").strip() != WORD:
            raise Refused("That is not the word; every message is kept.")
        answer(f"Removed {_count(owner.ask('POST', chat.PURGE, body={'word': WORD}))} messages.")


def _count(said: Any) -> str:
    removed = said.get("removed") if isinstance(said, dict) else None
    return str(removed) if isinstance(removed, int) else "the"
