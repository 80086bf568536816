"""`manage.py channel export`."""

from argparse import ArgumentParser
from typing import TextIO, cast

from accounts.command_verbs import Call, counted
from chat.command_verbs.progress import bar
from chat.transfer.files import private_file
from core.errors import Invalid
from triggers.inbox.journal.exporting import count, export_journal

STANDARD = "-"


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("file", metavar="FILE", help="made 0600, whole or not at all; - is standard output, if no terminal")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")


def run(call: Call) -> None:
    """Write every push message that is kept as JSON lines."""
    name = call.options["file"]
    if name == STANDARD:
        if call.out.isatty():
            raise Invalid("Standard output is a terminal; name a file, or pass the lines on to a program.")
        _write(call, cast(TextIO, call.out._out))
        return
    with private_file(name, replace=call.options["force"]) as out:
        written = _write(call, out)
    call.out.write(f"{counted(written, 'message', 'messages')} exported to {name}, for your eyes alone: it holds them in clear")


def _write(call: Call, out: TextIO) -> int:
    written = 0
    with bar("Exporting", count(call.actor)) as progress:
        for line in export_journal(call.actor):
            out.write(line)
            written += 1
            progress(1)
    return written
