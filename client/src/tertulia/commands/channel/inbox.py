"""channel list, ack, clear, inject."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tertulia.commands.channel import completing
from tertulia.commands.options import BrowserOption, HubOption, JsonOption, MaintainerOption, as_owner, opened
from tertulia.problems import Refused

if TYPE_CHECKING:
    from tertulia.channel import Inbox

WORD = "clear"
SHOWN = 20
MORE = "What your rules did, and what waits for your word, is shown to you in person: add --maintainer"
ChannelArgument = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", help="One channel alone; * is all.", autocompletion=completing.channels, show_default=False),
]


def list_(
    name: ChannelArgument = None,
    every: Annotated[bool, typer.Option("--all", help="Those that were cleared too.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, metavar="N", help="At most so many.")] = SHOWN,
    maintainer: MaintainerOption = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """List the newest push messages, oldest first: number, time, server and channel, how it begins.

    Above them what is new since you acknowledged last; with --maintainer also what your rules did, and what waits for your word.
    """
    from tertulia.channel import inbox
    from tertulia.store.channel import remember_inbox
    from tertulia.voice import answer_json

    with opened(hub, maintainer=maintainer, browser=browser) as to:
        seen = inbox(to, channel=name or "", every=every, limit=limit)
        remember_inbox(to.address, seen, in_person=to.in_person)
        in_person = to.in_person
    if json:
        answer_json(seen.raw)
        return
    _show(seen, in_person=in_person)


def _show(seen: "Inbox", *, in_person: bool) -> None:
    from tertulia.view import show_table
    from tertulia.voice import answer, tell

    for each in seen.banner:
        tell(each)
    if seen.banner and not in_person:
        tell(MORE)
    if seen.paused:
        tell("Paused: no rule fires until you run: tertulia channel resume")
    show_table(("", "at", "from", "says"), [_cells(row) for row in seen.rows])
    answer(f"{seen.total} in all, {seen.unread} unread" if seen.rows else f"no messages ({seen.total} in all)")


def _cells(row: dict[str, Any]) -> tuple[str, str, str, str]:
    return f"#{row['seq']}", _time(row["time"]), f"{row['server']}/{row['channel']}", row["preview"]


def _time(value: str) -> str:
    from tertulia.view.terminal import local_time
    from tertulia.voice import prints_to_terminal

    return local_time(value) if prints_to_terminal() else value


def ack(maintainer: MaintainerOption = False, browser: BrowserOption = False, hub: HubOption = None) -> None:
    """Mark everything as seen. The list stays as it is, and so does what waits for your word."""
    from tertulia.channel import ACK, field
    from tertulia.voice import answer

    with opened(hub, maintainer=maintainer, browser=browser) as to:
        said = to.ask("POST", ACK)
        counted = _counted(field(to.address, said, "messages"), "message"), _counted(field(to.address, said, "firings"), "firing")
    answer(f"Seen: {counted[0]}, {counted[1]}.")


def clear(
    every: Annotated[bool, typer.Option("--all", help="Delete all stored messages for good, the trail too.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --all: do not have the word typed.")] = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
) -> None:
    """Empty the list. What was in it stays in the trail, which `list --all` shows; with --all nothing stays."""
    from tertulia.channel import CLEAR, field
    from tertulia.surroundings import world
    from tertulia.voice import answer

    with as_owner(hub, browser=browser) as owner:
        if every and not yes:
            typed = world.ask(f"Every push message at {owner.address} goes, for good. Type {WORD} to do it: ").strip()
            if typed != WORD:
                raise Refused("That is not the word; every message is kept.")
        said = owner.ask("POST", CLEAR, body={"all": every})
        count = _counted(field(owner.address, said, "cleared"), "message")
    answer(f"Deleted {count} for good." if every else f"Cleared {count}; the trail keeps them: tertulia channel list --all")


def inject(
    session: Annotated[
        str, typer.Argument(metavar="[SESSION]", help="Its key or id.", autocompletion=completing.sessions)
    ] = "main",
    browser: BrowserOption = False,
    hub: HubOption = None,
) -> None:
    """Put the ten newest push messages into a session, for its next turn."""
    from tertulia.channel import INJECT, field
    from tertulia.inert import line
    from tertulia.voice import answer

    with as_owner(hub, browser=browser) as owner:
        said = owner.ask("POST", INJECT, body={"session": session})
        count = field(owner.address, said, "injected")
    told = f"Put {_counted(count, 'message')} into {line(session, 80)}; its next turn sees them."
    answer(told if count else "There is no message to put in.")


def _counted(count: int, one: str) -> str:
    return f"{count} {one if count == 1 else f'{one}s'}"
