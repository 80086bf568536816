"""`manage.py connections list|revoke`: which clients hold an authorization, and the end of one."""

import json
from argparse import ArgumentParser
from datetime import datetime
from typing import IO, Any, cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from accounts.actions import revoke_connection
from accounts.models import Connection
from accounts.reading import account_of_owner
from core.actor import operator
from core.commands import HubCommand, add_json

COLUMNS = ("connection", "client", "account", "redirect host", "scopes", "first used", "last used", "state")
PIPE_WIDTH = 200


class Command(HubCommand):
    help = "List the connections of clients, or revoke one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="list|revoke")
        listing = verbs.add_parser("list", help="the connections that work, newest first")
        listing.add_argument("--account", metavar="EMAIL", help="only those of this owner's account")
        listing.add_argument("--all", action="store_true", help="the revoked ones too")
        add_json(listing)
        revoking = verbs.add_parser("revoke", help="end one: its tokens stop working at once")
        revoking.add_argument("id", metavar="ID", help="as the list shows it, c-…")

    def run(self, **options: Any) -> None:
        if options["verb"] == "revoke":
            connection = revoke_connection(operator(), connection_id=options["id"])
            self.stdout.write(f"{connection.pk} ({connection.shown_name}) is revoked.")
            return
        account_id = account_of_owner(options["account"]).pk if options["account"] else None
        rows = Connection.objects.visible_to(operator(account_id)).select_related("account__owner")
        rows = rows if options["all"] else rows.active()
        if options["json"]:
            self.stdout.write(json.dumps([as_json(row) for row in rows], indent=2))
        else:
            self._table(rows)

    def _table(self, rows: Any) -> None:
        table = Table(*COLUMNS, box=None, pad_edge=False)
        for row in rows:
            table.add_row(*(Text(cell) for cell in _cells(row)))
        if not table.row_count:
            self.stdout.write("No client is connected.")
            return
        Console(file=cast(IO[str], self.stdout), width=None if self.stdout.isatty() else PIPE_WIDTH).print(table)


def as_json(row: Connection) -> dict[str, Any]:
    """One connection for a program."""
    return {
        "id": row.pk,
        "client": row.client_name,
        "account": row.account.owner.email,
        "redirect_host": row.redirect_host,
        "scopes": row.scopes.split(),
        "created_at": row.created_at.isoformat(),
        "last_used_at": _iso(row.last_used_at),
        "revoked_at": _iso(row.revoked_at),
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _cells(row: Connection) -> tuple[str, ...]:
    last = f"{row.last_used_at:%Y-%m-%d %H:%M}" if row.last_used_at else "not yet"
    state = "works" if row.is_active else "revoked"
    first = f"{row.created_at:%Y-%m-%d %H:%M}"
    return (row.pk, row.shown_name, row.account.owner.email, row.redirect_host, row.scopes, first, last, state)
