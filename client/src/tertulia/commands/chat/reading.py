"""chat wait, read, tail."""

from typing import TYPE_CHECKING, Annotated

import typer

from tertulia.commands import completing
from tertulia.commands.options import (
    AfterOption,
    BrowserOption,
    ExcludeSessionOption,
    ExcludeTopicOption,
    HubOption,
    JsonOption,
    MaintainerOption,
    SessionOption,
    number_after,
    opened,
    session_name,
)
from tertulia.problems import NOTHING_CAME, CursorAhead, Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tertulia.chat import LeftOut
    from tertulia.messages import Page
    from tertulia.signing import Asked
    from tertulia.store.marks import Marks

    At = AbstractContextManager[Asked]

LAST = 10
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", min=0, metavar="SECONDS", help="End after this time.  [default: never]"),
]


def wait(
    timeout: TimeoutOption = None,
    after: AfterOption = None,
    exclude_topic: ExcludeTopicOption = [],  # noqa: B006 - typer copies it
    exclude_session: ExcludeSessionOption = [],  # noqa: B006
    session: SessionOption = None,
    maintainer: MaintainerOption = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """Wait until somebody posts, print it, and end.

    Goes on where this session left off; one that has read nothing yet begins with the oldest message kept. What is printed
    counts as read. Without --timeout it waits for ever; exit code 3 says that the time was up and nothing came.
    """
    from tertulia import chat
    from tertulia.surroundings import world
    from tertulia.voice import tell

    left_out = chat.LeftOut(tuple(exclude_topic), tuple(exclude_session))
    _check(timeout)

    def fetch(asked: "Asked", seq: int, name: str) -> "Page":
        if world.interactive():
            tell("Waiting for a message; Ctrl-C ends it.")
        return chat.wait(asked, seq, left_out, timeout, name)

    page = _go_on(opened(hub, maintainer=maintainer, browser=browser, agents_too=True), session, after, json, fetch)
    if not page.messages:
        raise typer.Exit(NOTHING_CAME)


def _check(timeout: float | None) -> None:
    if timeout is not None and timeout != timeout:  # the one number unlike itself
        raise Problem("--timeout takes a number of seconds, from 0.")


def read(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]", help="The newest of one topic instead.", autocompletion=completing.topics, show_default=False
        ),
    ] = None,
    thread: Annotated[int | None, typer.Option("--thread", min=1, metavar="N", help="The newest of one thread instead.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, metavar="N", help="At most so many messages.")] = 20,
    last: Annotated[
        int | None, typer.Option("--last", min=1, max=500, metavar="N", help="The last N instead; they do not count as read.")
    ] = None,
    after: AfterOption = None,
    exclude_topic: ExcludeTopicOption = [],  # noqa: B006
    exclude_session: ExcludeSessionOption = [],  # noqa: B006
    session: SessionOption = None,
    maintainer: MaintainerOption = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """Print what this session has not read yet.

    Oldest first; what is printed counts as read. With TOPIC or --thread: its newest messages, which do not count as read.
    """
    from tertulia import chat

    left_out = chat.LeftOut(tuple(exclude_topic), tuple(exclude_session))
    at = opened(hub, maintainer=maintainer, browser=browser)
    if topic is not None or thread is not None:
        if last is not None or after is not None or exclude_topic or exclude_session:
            raise Problem("A topic or a thread is shown by its newest messages; give --limit alone beside it.")
        _read_newest(at, topic, thread, limit, json)
        return
    if last is not None:
        if after is not None:
            raise Problem("Give --last or --after, not both.")
        _read_last(at, last, left_out, json)
        return
    page = _go_on(at, session, after, json, lambda asked, seq, name: chat.read(asked, seq, left_out, limit, name))
    if not json:
        _say_the_rest(page)


def _say_the_rest(page: "Page") -> None:
    from tertulia.voice import tell

    if page.has_more:
        tell(f"There is more after #{page.last_seq}; read on with the same command.")
    elif not page.messages:
        tell(f"Nothing new after #{page.last_seq}; look back with: tertulia chat read --last 20")


def _read_last(at: "At", last: int, left_out: "LeftOut", json: bool) -> None:
    from tertulia import chat

    with at as asked:
        newest = chat.latest(asked)
        _show(chat.read(asked, max(0, newest - last), left_out, last), json)


def _read_newest(at: "At", topic: str | None, thread: int | None, limit: int, json: bool) -> None:
    from tertulia import chat
    from tertulia.voice import tell

    with at as asked:
        page, earlier = chat.newest(asked, limit, topic=topic, thread=thread)
    _show(page, json)
    if not page.messages and not json:
        tell("There is nothing there.")
    elif earlier and not json:
        tell("There are earlier ones; see more with --limit.")


def tail(
    lines: Annotated[int, typer.Option("--last", "-n", min=0, max=500, metavar="N", help="Begin with the last N.")] = LAST,
    timeout: TimeoutOption = None,
    after: AfterOption = None,
    exclude_topic: ExcludeTopicOption = [],  # noqa: B006
    exclude_session: ExcludeSessionOption = [],  # noqa: B006
    maintainer: MaintainerOption = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """Print the last messages, then each new one.

    Until Ctrl-C; nothing counts as read.

    With --json each message is a line of its own.
    """
    from tertulia import chat
    from tertulia.surroundings import world

    _check(timeout)
    left_out = chat.LeftOut(tuple(exclude_topic), tuple(exclude_session))
    with opened(hub, maintainer=maintainer, browser=browser, agents_too=True) as asked:
        given = None if after is None else number_after(after)
        newest = chat.latest(asked) if given is None else 0
        seq = given if given is not None else max(0, newest - (lines if after is None else 0))
        until = None if timeout is None else world.monotonic() + timeout
        while True:
            left = None if until is None else max(0.0, until - world.monotonic())
            page = chat.wait(asked, seq, left_out, left)
            _show_each(page, json)
            seq = page.last_seq
            if not page.messages:
                return


def _show_each(page: "Page", json: bool) -> None:
    from tertulia.view import show_messages
    from tertulia.voice import answer_json

    if json:
        for row in page.raw:
            answer_json(row)
    else:
        show_messages(page.messages)


def _show(page: "Page", json: bool) -> None:
    from tertulia.view import show_messages
    from tertulia.voice import answer_json

    if json:
        answer_json(page.as_json())
    else:
        show_messages(page.messages)


def _go_on(at: "At", session: str | None, after: str | None, json: bool, fetch: "Callable[[Asked, int, str], Page]") -> "Page":
    """Fetch after where the session is, show it, and only then move the mark."""
    from tertulia.store.marks import Marks
    from tertulia.voice import tell

    name = session_name(session)
    with at as asked:
        marks = Marks(asked.address, name)
        page, began_anew = _fetch(asked, marks, after, lambda at, seq: fetch(at, seq, name))
    _show(page, json)
    try:
        marks.move(page.last_seq, back=began_anew)
    except Problem as problem:
        if after is None:
            raise Problem(f"What was printed will come again, for it could not be noted: {problem}") from None
        tell(f"tertulia: {problem}")  # whoever says where to begin keeps the place himself
    return page


def _fetch(asked: "Asked", marks: "Marks", after: str | None, fetch: "Callable[[Asked, int], Page]") -> "tuple[Page, bool]":
    from tertulia import chat
    from tertulia.voice import tell

    if after is not None:
        given = number_after(after)
        return fetch(asked, chat.latest(asked) if given is None else given), False
    try:
        return fetch(asked, marks.get() or 0), False
    except CursorAhead:
        tell("The hub's chat begins anew since this session last read; reading it from the start.")
        return fetch(asked, 0), True
