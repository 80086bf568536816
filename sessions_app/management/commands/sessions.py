"""`manage.py sessions`: an account's sessions from a shell on the hub's machine; its verbs are in `command_verbs`."""

from argparse import ArgumentParser
from typing import Any

from chat.command_verbs.call import Call, account_named
from core.commands import HubCommand
from sessions_app.command_verbs import VERBS


class Command(HubCommand):
    help = "List an account's sessions, read them, send into them, start and stop what runs there, and name them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="|".join(VERBS))
        for name, verb in VERBS.items():
            one = verbs.add_parser(name, help=verb.help)
            verb.arguments(one)
            one.add_argument("--account", metavar="EMAIL", help="whose sessions; not needed while there is one account")

    def run(self, **options: Any) -> None:
        call = Call(account=account_named(options["account"]), options=options, out=self.stdout, err=self.stderr)
        VERBS[options["verb"]].run(call)
