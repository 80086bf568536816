"""Where a new owner's password comes from: the environment, the person at the terminal, or chance."""

import getpass
import os
import secrets
import sys
from dataclasses import dataclass

from core.errors import Invalid

VARIABLE = "TERTULIA_OWNER_PASSWORD"


@dataclass(frozen=True, slots=True)
class NewPassword:
    """A password and whether the hub made it, so that it must be told once."""

    text: str
    is_made: bool = False


def new_password(email: str) -> NewPassword:
    """From `TERTULIA_OWNER_PASSWORD`; else asked twice at a terminal; else made. Raises Invalid when the two differ."""
    given = os.environ.get(VARIABLE, "")
    if given:
        return NewPassword(given)
    if not sys.stdin.isatty():
        return NewPassword(secrets.token_urlsafe(18), is_made=True)
    text = getpass.getpass(f"Password for {email}: ")
    if getpass.getpass("The same again: ") != text:
        raise Invalid("The two passwords differ; run the command again.")
    return NewPassword(text)
