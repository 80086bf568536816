"""`manage.py channel export`."""

from typing import TextIO

from accounts.command_verbs import Call
from chat.command_verbs import export_file
from chat.command_verbs.progress import bar
from triggers.inbox.journal.exporting import count, export_journal


def run(call: Call) -> None:
    """Write every push message that is kept as JSON lines."""

    def export(out: TextIO, _to: str) -> int:
        written = 0
        with bar("Exporting", count(call.actor)) as progress:
            for line in export_journal(call.actor):
                out.write(line)
                written += 1
                progress(1)
        return written

    export_file.write(call, export)
