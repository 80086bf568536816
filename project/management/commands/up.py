"""`manage.py up`: the whole hub in one command."""

import asyncio
import os
import sys
from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.conf import settings
from django.core.checks import ERROR, Tags, run_checks
from django.db import connections

from core.commands import Error, HubCommand
from core.errors import Invalid
from project import agent_role
from project.supervisor import house, owner, parts, place, storage
from project.supervisor.voice import Voice


class Command(HubCommand):
    help = "Run the hub: prepare the database and static files, then serve until Ctrl-C or TERM."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", help="address to listen on (default: TERTULIA_HOST, else 127.0.0.1)")
        parser.add_argument("--port", help="port to listen on (default: TERTULIA_PORT, else 8760)")
        parser.add_argument("--owner", metavar="EMAIL", default="", help="sign-in of the first owner, when there is none yet")

    def run(self, **options: Any) -> None:
        self._same_address_as_settings(**options)
        os.umask(0o077)
        place.raise_open_files()
        self._check_settings()
        with place.sole_hub(settings.TERTULIA_HOME):
            place.check_port(settings.TERTULIA_HOST, settings.TERTULIA_PORT)
            self._prepare(options["owner"])
            connections.close_all()
            status = asyncio.run(house.run(parts.parts(), Voice(sys.stdout, as_json=settings.LOG_JSON)))
        if status:
            sys.exit(status)

    def _same_address_as_settings(self, *, host: str | None, port: str | None, **options: Any) -> None:
        """`manage.py` hands both to the settings before they load; another way in cannot."""
        if (host or settings.TERTULIA_HOST, str(port or settings.TERTULIA_PORT)) != (
            settings.TERTULIA_HOST,
            str(settings.TERTULIA_PORT),
        ):
            raise Invalid("Run `manage.py up`, or set TERTULIA_HOST and TERTULIA_PORT instead of --host and --port.")

    def _check_settings(self) -> None:
        found = run_checks(tags=[Tags.security])  # what an operator can get wrong; the others are of the code
        for message in found:
            if message.level < ERROR and not message.is_silenced():
                self.stderr.write(f"Warning: {message.msg} {message.hint or ''}".rstrip())
        for message in found:
            if message.level >= ERROR and not message.is_silenced():
                raise Error(f"{message.msg} {message.hint or ''}".rstrip())

    def _prepare(self, email: str) -> None:
        storage.check_database()
        storage.check_redis()
        if storage.migrate():
            self._tell("The database is up to date.")
        for sentence in agent_role.prepare():
            self.stderr.write(f"Warning: {sentence}")
        self._first_owner(email)
        storage.declare_queues()
        storage.collect_static_files()
        self._tell("Starting …")

    def _first_owner(self, email: str) -> None:
        if not owner.needed():
            if email:
                self._tell("--owner is not used: this hub has its first owner already (manage.py create_owner makes more).")
            return
        at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        made = owner.make_first(email, os.environ.get("TERTULIA_OWNER_PASSWORD", ""), Person(self) if at_terminal else None)
        shown = f" with the password {made.password} (shown this once)" if made.password else ""
        self._tell(f"The first owner signs in as {made.email}{shown}.")

    def _tell(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


class Person:
    """Whoever sits at the terminal."""

    def __init__(self, command: Command) -> None:
        self._command = command

    def ask(self, question: str) -> str:
        """One visible line; the end of input stops the hub."""
        try:
            return input(question)
        except EOFError:
            raise KeyboardInterrupt from None

    def ask_secret(self, question: str) -> str:
        """One line that is not shown."""
        try:
            return getpass(question)
        except EOFError:
            raise KeyboardInterrupt from None

    def tell(self, line: str) -> None:
        """Show a line."""
        self._command.stdout.write(line)
