"""The file that an export of an account goes to, or standard output: what the verb takes, and how it is written."""

from argparse import ArgumentParser
from collections.abc import Callable
from typing import TextIO, cast

from accounts.command_verbs import Call, counted
from chat.transfer.files import private_file
from core.errors import Invalid

STANDARD = "-"


def arguments(parser: ArgumentParser) -> None:
    """What an export takes."""
    parser.add_argument("file", metavar="FILE", help="made 0600, whole or not at all; - is standard output, if no terminal")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")


def write(call: Call, export: Callable[[TextIO, str], int]) -> None:
    """Have `export` write to the file that is named, and say so.

    `export` is given the file and what to call it, and answers how many messages it wrote. Raises Invalid where standard output
    is a terminal, and what `private_file` raises.
    """
    name = call.options["file"]
    if name == STANDARD:
        if call.out.isatty():
            raise Invalid("Standard output is a terminal; name a file, or pass the lines on to a program.")
        export(cast(TextIO, call.out._out), "standard output")
        return
    with private_file(name, replace=call.options["force"]) as out:
        written = export(out, name)
    call.out.write(f"{counted(written, 'message', 'messages')} exported to {name}, for your eyes alone: it holds them in clear")
