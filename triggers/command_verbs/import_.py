"""`manage.py channel import`."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from accounts.command_verbs import Call, counted
from chat.command_verbs.progress import bar
from core.commands import Error
from core.errors import Invalid
from core.text import one_line
from triggers.inbox.journal.importing import Imported, Stream, import_journal

STANDARD = "-"
MOST_COMPLAINTS = 20


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="channels.jsonl, channels.jsonl.1, …; - is standard input")


def run(call: Call) -> None:
    """Store what is not there yet; a line that cannot be stored costs only itself, and makes the exit code 1."""
    with ExitStack() as opened:
        streams, size = _opened(opened, call.options["files"])
        with bar("Importing", size) as progress:
            told = import_journal(call.actor, streams, progress=progress)
    _tell(call, told)
    if told.left_out:
        left_out = counted(told.left_out, "line was", "lines were")
        raise Error(f"{left_out} left out, for the reasons above; all others are stored.")


def _opened(stack: ExitStack, names: Sequence[str]) -> tuple[list[Stream], int | None]:
    """The files, and how many bytes they are; None where standard input is among them."""
    if STANDARD in names:
        if len(names) > 1:
            raise Invalid("Standard input is read alone; name it without other files.")
        return [("standard input", sys.stdin.buffer)], None
    try:
        size = sum(Path(name).stat().st_size for name in names)
        return [(name, stack.enter_context(Path(name).open("rb"))) for name in names], size
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "no such name"
        name = getattr(error, "filename", None) or "A file"
        raise Invalid(f"{one_line(str(name), 200)} cannot be read ({said}); give another file.") from None


def _tell(call: Call, told: Imported) -> None:
    for each in told.skipped[:MOST_COMPLAINTS]:
        call.err.write(f"{each.file}, line {each.line}: {each.why}")
    if told.left_out > MOST_COMPLAINTS:
        call.err.write(f"… and {told.left_out - MOST_COMPLAINTS} more lines")
    call.out.write(f"{counted(told.stored, 'message', 'messages')} stored, {told.known} there already")
    if told.trimmed:
        call.out.write(f"{counted(told.trimmed, 'old message', 'old messages')} had to go: the trail is at its cap")
