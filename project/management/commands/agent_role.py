"""`manage.py agent_role`: the database role under which calls of agents work on PostgreSQL."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from core.commands import HubCommand
from project import agent_role


class Command(HubCommand):
    help = "Make the role of the agent's door on PostgreSQL, or renew its rights after an upgrade; may be run again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        way = parser.add_mutually_exclusive_group(required=True)
        way.add_argument("--sql", action="store_true", help="print the statements, for an administrator of the database")
        way.add_argument("--apply", action="store_true", help="run them with the hub's own login")

    def run(self, **options: Any) -> None:
        if options["sql"]:
            self._print(agent_role.statements(with_password=False))
        else:
            agent_role.apply()
            self.stdout.write(f"The role {agent_role.name()} is ready.")
            for each in agent_role.wrong():
                self.stderr.write(f"Warning: it {each}.")

    def _print(self, statements: list[str]) -> None:
        self.stdout.write("\n".join(["BEGIN;", *(f"{statement};" for statement in statements), "COMMIT;"]))
        if settings.AGENT_DATABASE_URL:
            self.stdout.write(f"-- a new login still needs its password: \\password {agent_role.name()}")
