"""chat wait, read, post, topics, tail."""

from typing import TYPE_CHECKING, Annotated

import typer

from tertulia.commands import completing
from tertulia.commands.options import (
    AfterOption,
    ExcludeSessionOption,
    ExcludeTopicOption,
    HubOption,
    JsonOption,
    SessionOption,
    number_after,
    session_name,
    signed_in,
)
from tertulia.problems import NOTHING_CAME, CursorAhead, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from tertulia.messages import Page
    from tertulia.signing import Hub
    from tertulia.store.marks import Marks

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Read, wait and post in the chat of your agents.")
LAST = 10
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", min=0, metavar="SECONDS", help="End after this time.  [default: never]"),
]


@app.command()
def wait(
    timeout: TimeoutOption = None,
    after: AfterOption = None,
    exclude_topic: ExcludeTopicOption = [],  # noqa: B006 - typer copies it
    exclude_session: ExcludeSessionOption = [],  # noqa: B006
    session: SessionOption = None,
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
    if world.interactive():
        tell("Waiting for a message; Ctrl-C ends it.")
    page = _go_on(hub, session, after, json, lambda asked, seq, name: chat.wait(asked, seq, left_out, timeout, name))
    if not page.messages:
        raise typer.Exit(NOTHING_CAME)


def _check(timeout: float | None) -> None:
    if timeout is not None and timeout != timeout:  # the one number unlike itself
        raise Problem("--timeout takes a number of seconds, from 0.")


@app.command()
def read(
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, metavar="N", help="At most so many messages.")] = 20,
    last: Annotated[
        int | None, typer.Option("--last", min=1, max=500, metavar="N", help="The last N instead; they do not count as read.")
    ] = None,
    after: AfterOption = None,
    exclude_topic: ExcludeTopicOption = [],  # noqa: B006
    exclude_session: ExcludeSessionOption = [],  # noqa: B006
    session: SessionOption = None,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """Print what this session has not read yet.

    Oldest first; what is printed counts as read.
    """
    from tertulia import chat

    left_out = chat.LeftOut(tuple(exclude_topic), tuple(exclude_session))
    if last is not None:
        if after is not None:
            raise Problem("Give --last or --after, not both.")
        _read_last(hub, last, left_out, json)
        return
    page = _go_on(hub, session, after, json, lambda asked, seq, name: chat.read(asked, seq, left_out, limit, name))
    if not json:
        _say_the_rest(page)


def _say_the_rest(page: "Page") -> None:
    from tertulia.voice import tell

    if page.has_more:
        tell(f"There is more after #{page.last_seq}; read on with the same command.")
    elif not page.messages:
        tell(f"Nothing new after #{page.last_seq}; look back with: tertulia chat read --last 20")


def _read_last(hub: str | None, last: int, left_out: "object", json: bool) -> None:
    from tertulia import chat

    assert isinstance(left_out, chat.LeftOut)
    with signed_in(hub) as asked:
        newest = chat.latest(asked)
        _show(chat.read(asked, max(0, newest - last), left_out, last), json)


@app.command()
def post(
    text: Annotated[str, typer.Argument(metavar="TEXT|-", help="What to say; - takes it from standard input.")],
    topic: Annotated[
        str | None,
        typer.Option("--topic", metavar="TOPIC", help="Where.  [default: general]", autocompletion=completing.topics),
    ] = None,
    reply_to: Annotated[int | None, typer.Option("--reply-to", min=1, metavar="N", help="The message this answers.")] = None,
    session: SessionOption = None,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """Post a message. Sent again after a failure of the network, it is stored once."""
    from tertulia import chat
    from tertulia.store.topics import remember
    from tertulia.voice import answer, answer_json

    draft = {"body": _body(text), "session_name": session_name(session), "topic": topic, "reply_to": reply_to}
    with signed_in(hub) as asked:
        receipt = chat.post(asked, draft)
    if isinstance(receipt.get("topic"), str):
        remember(asked.address, [receipt["topic"]])
    if json:
        answer_json(receipt)
    else:
        answer(f"Posted #{receipt['seq']} in {receipt.get('topic', '')}.")


def _body(text: str) -> str:
    import sys

    from tertulia.voice import tell

    if text == "-":
        if sys.stdin.isatty():
            tell("Type the message; Ctrl-D on an empty line sends it.")
        raw = sys.stdin.buffer.read(1 << 20)
    else:
        raw = text.encode("utf-8", "surrogateescape")
    try:
        body = raw.decode().replace("\r\n", "\n").rstrip("\n")
    except UnicodeDecodeError:
        raise Problem("The text is not UTF-8; write it in UTF-8, or pass the file's path instead.") from None
    if not body:
        raise Problem("There is no text; give it after `post`, or - and the text on standard input.")
    return body


@app.command()
def topics(hub: HubOption = None, json: JsonOption = False) -> None:
    """List the topics, the busiest first."""
    from tertulia import chat
    from tertulia.store.topics import remember
    from tertulia.view import show_table
    from tertulia.voice import answer_json, prints_to_terminal, tell

    with signed_in(hub) as asked:
        rows = chat.topics(asked)
    remember(asked.address, [row["topic"] for row in rows])
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


@app.command()
def tail(
    lines: Annotated[int, typer.Option("--last", "-n", min=0, max=500, metavar="N", help="Begin with the last N.")] = LAST,
    timeout: TimeoutOption = None,
    after: AfterOption = None,
    exclude_topic: ExcludeTopicOption = [],  # noqa: B006
    exclude_session: ExcludeSessionOption = [],  # noqa: B006
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
    with signed_in(hub) as asked:
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


def _go_on(
    hub: str | None, session: str | None, after: str | None, json: bool, fetch: "Callable[[Hub, int, str], Page]"
) -> "Page":
    """Fetch after where the session is, show it, and only then move the mark."""
    from tertulia.store.marks import Marks
    from tertulia.voice import tell

    name = session_name(session)
    with signed_in(hub) as asked:
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


def _fetch(asked: "Hub", marks: "Marks", after: str | None, fetch: "Callable[[Hub, int], Page]") -> "tuple[Page, bool]":
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
