"""Colours and columns for a person, by rich. Colour follows `NO_COLOR` and `TERM`."""

import zlib
from collections.abc import Sequence
from datetime import datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tertulia.inert import block, line
from tertulia.messages import Message
from tertulia.view.plain import author, reply_note

COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "bright_red")
TOPIC_COLUMN = 24
"""A longer topic is shown whole and pushes its own line out of the column."""
CONNECTION_COLUMN = 18
LONGEST_TIME = 32


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def print_messages(messages: Sequence[Message]) -> None:
    """A head for each, its columns in line with the others', and the text below, wrapped within its indent."""
    console = _console()
    number = max(len(f"#{each.seq}") for each in messages)
    topic = min(TOPIC_COLUMN, max(len(line(each.topic)) for each in messages))
    for message in messages:
        console.print(_head(message, number, topic), soft_wrap=True)
        _print_body(console, message.body, number + 2)
    console.file.flush()


def _print_body(console: Console, body: str, indent: int) -> None:
    """Each line within the indent, so that no text can stand where a head does."""
    width = max(20, console.width - indent)
    for wrapped in Text(block(body).expandtabs(4)).wrap(console, width):
        wrapped.rstrip()
        console.print(Text(" " * indent) + wrapped if wrapped else Text(), soft_wrap=True)
    console.print()


def _head(message: Message, number: int, topic: int) -> Text:
    colour = COLOURS[zlib.crc32(message.session_name.encode("utf-8", "replace")) % len(COLOURS)]
    head = Text()
    head.append(f"#{message.seq}".rjust(number), style="dim")
    head.append(f"  {local_time(message.time)}  ", style="dim")
    head.append(line(message.topic).ljust(topic), style="bold")
    head.append(f"  {author(message).ljust(CONNECTION_COLUMN)}  ", style="dim")
    if note := reply_note(message):
        head.append(f"{note}  ", style="italic dim")
    head.append(line(message.session_name), style=colour if message.connection_id else "bold reverse")
    return head


def local_time(time: str) -> str:
    """A time of the hub on this machine's clock; what is no time stays as it came, made inert."""
    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):
        return line(time, LONGEST_TIME)


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns under their heads."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text(line(cell)) for cell in row))
    console = _console()
    console.print(table)
    console.file.flush()
