"""`manage.py chat import`."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from accounts.command_verbs import Call, counted
from chat.command_verbs.progress import bar
from chat.models import ChatSettings
from chat.pruning import expired, kept_days
from chat.transfer.importing import Told, bring_in
from core.commands import Error
from core.errors import Invalid

STANDARD = "-"
MOST_COMPLAINTS = 20


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("file", metavar="FILE", help="as chat export wrote it; - is standard input")


def run(call: Call) -> None:
    """Store what is not there yet; a line that cannot be stored costs only itself, and makes the exit code 1."""
    name, told = call.options["file"], Told()
    complaints = Complaints(call)
    with _opened(name) as (file, size):
        try:
            with bar("Importing", size) as progress:
                bring_in(call.actor, file, told, account_id=call.account.pk, source=name, complain=complaints, progress=progress)
        finally:
            complaints.close()
            if told != Told():
                _tell(call, told)
    if told.bad or told.conflicts:
        left_out = counted(told.bad + told.conflicts, "line was", "lines were")
        raise Error(f"{left_out} left out, for the reasons above; all others are stored.")


class Complaints:
    """Says why a line was left out, for the first of them, and then how many more there were."""

    def __init__(self, call: Call) -> None:
        self._call, self._count = call, 0

    def __call__(self, number: int, reason: str) -> None:
        """One line's reason."""
        self._count += 1
        if self._count <= MOST_COMPLAINTS:
            self._call.err.write(f"line {number}: {reason}")

    def close(self) -> None:
        """How many were not told of."""
        if self._count > MOST_COMPLAINTS:
            self._call.err.write(f"… and {self._count - MOST_COMPLAINTS} more lines")


@contextmanager
def _opened(name: str) -> Iterator[tuple[BinaryIO, int | None]]:
    if name == STANDARD:
        yield sys.stdin.buffer, None
        return
    try:
        file, size = Path(name).open("rb"), Path(name).stat().st_size  # noqa: SIM115 -- closed below
    except (OSError, ValueError) as error:
        raise Invalid(
            f"{name} cannot be read ({getattr(error, 'strerror', None) or 'no such name'}); give another file."
        ) from None
    with file:
        yield file, size


def _tell(call: Call, told: Told) -> None:
    call.out.write(f"{counted(told.stored, 'message', 'messages')} stored, {told.known} there already")
    kept = ChatSettings.objects.visible_to(call.actor).get(account_id=call.account.pk)
    old = expired(kept).count()
    if old:
        days = kept_days(kept.retention_days)
        call.out.write(
            f"{old} of the account's messages are older than the {days} days it keeps; the next hourly clean-up removes them"
        )
