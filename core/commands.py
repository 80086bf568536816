"""The base of the hub's management commands: a refusal is one line and a non-zero exit, never a traceback."""

import json
import os
import sys
from argparse import ArgumentParser
from typing import Any, NoReturn

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError

from core.errors import DomainError

INTERRUPTED = 130


class Error(CommandError):
    """What the operator reads; Django prints it as `Error: …`."""


class HubCommand(BaseCommand):
    """Implement `run`; raise DomainError to refuse."""

    requires_system_checks = [Tags.security]  # what an operator may get wrong; the others read every address and admin page first

    def run(self, **options: Any) -> None:
        """Do the command's work."""
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        """Call `run` and tell what went wrong in one sentence."""
        try:
            self.run(**options)
            self.stdout.flush()
        except DomainError as error:
            raise Error(error.detail) from None
        except (OperationalError, ProgrammingError):
            raise Error("The database does not answer as it should; run `manage.py migrate` and look whether it is up.") from None
        except BrokenPipeError:
            _close_quietly()
        except KeyboardInterrupt:
            raise Error("Stopped.", returncode=INTERRUPTED) from None


def _close_quietly() -> NoReturn:
    """The reader of a pipe has enough (`| head`): end without complaint, also when Python flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def as_json(value: Any) -> str:
    """One line of ASCII for a program, so that nothing in it moves a terminal's cursor or turns what stands beside it."""
    return json.dumps(value, ensure_ascii=True)


def add_json(parser: ArgumentParser) -> None:
    """The switch every listing command has."""
    parser.add_argument("--json", action="store_true", help="print JSON for a program to read")
