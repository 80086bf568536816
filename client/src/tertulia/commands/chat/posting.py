"""chat post."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tertulia.commands import completing
from tertulia.commands.options import (
    BrowserOption,
    HubOption,
    JsonOption,
    MaintainerOption,
    SessionOption,
    opened,
    session_name,
)
from tertulia.problems import Problem

if TYPE_CHECKING:
    from tertulia.signing import Asked


def post(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[TOPIC] TEXT|-", help="Where, and what to say; - takes it from standard input.", show_default=False
        ),
    ],
    topic: Annotated[
        str | None,
        typer.Option("--topic", metavar="TOPIC", help="Where.  [default: general]", autocompletion=completing.topics),
    ] = None,
    reply_to: Annotated[int | None, typer.Option("--reply-to", min=1, metavar="N", help="The message this answers.")] = None,
    thread: Annotated[
        int | None, typer.Option("--thread", min=1, metavar="N", help="The thread it goes to, by its first message.")
    ] = None,
    session: SessionOption = None,
    maintainer: MaintainerOption = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """Post a message. Sent again after a failure of the network, it is stored once."""
    from tertulia import chat
    from tertulia.receipts import outcome
    from tertulia.voice import answer, answer_json, tell

    *places, text = words
    if len(places) > 1 or (places and topic is not None):
        raise Problem("Give one topic and one text; put a text of several words in quotes.")
    where = places[0] if places else topic
    draft: dict[str, Any] = {"body": _body(text), "topic": where, "reply_to": reply_to, "thread": thread}
    name = session_name(session)
    with opened(hub, maintainer=maintainer, browser=browser) as to:
        receipt = chat.post(to, draft if to.in_person else {**draft, "session_name": name})
        _remember(to, receipt)
    for sentence in outcome(receipt):
        tell(sentence)
    if json:
        answer_json(receipt)
    else:
        answer(f"Posted #{receipt['seq']} in {receipt.get('topic', '')}.")


def _remember(hub: "Asked", receipt: dict[str, Any]) -> None:
    from tertulia.store.topics import remember

    if isinstance(receipt.get("topic"), str):
        remember(hub.address, [receipt["topic"]])


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
