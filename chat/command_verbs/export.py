"""`manage.py chat export`."""

from typing import TextIO

from accounts.command_verbs import Call
from chat.command_verbs import export_file
from chat.command_verbs.progress import bar
from chat.transfer import exporting


def run(call: Call) -> None:
    """Write the account's whole chat as JSON lines."""

    def export(out: TextIO, to: str) -> int:
        with bar("Exporting", exporting.count(call.actor)) as progress:
            return exporting.export(
                call.actor, out, account_id=call.account.pk, email=call.account.owner.email, to=to, progress=progress
            )

    export_file.write(call, export)
