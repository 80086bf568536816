"""The first owner: who signs in to a hub that was just made."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from accounts import actions
from accounts.models import Account
from core.actor import operator
from core.errors import DomainError, Invalid

T = TypeVar("T")
DEFAULT_EMAIL = "owner@localhost"
TRIES = 3


class Terminal(Protocol):
    """A person who can be asked."""

    def ask(self, question: str) -> str:
        """One visible line."""
        ...

    def ask_secret(self, question: str) -> str:
        """One line that is not shown."""
        ...

    def tell(self, line: str) -> None:
        """Show a line."""
        ...


@dataclass(frozen=True, slots=True)
class Made:
    """The owner that was made; `password` only where the hub chose it and must show it once."""

    email: str
    password: str = ""


def needed() -> bool:
    """Whether nobody owns this hub yet."""
    return not Account.objects.exists()


def make_first(email: str, password: str, terminal: Terminal | None) -> Made:
    """Create the owner. What is missing is asked for at the terminal; without one, `owner@localhost` and a random password.

    Raises DomainError with what is wrong with e-mail or password; at a terminal, after three tries.
    """
    if password or terminal is None:
        chosen = password or secrets.token_urlsafe(12)
        return _create(email or DEFAULT_EMAIL, chosen, shown="" if password else chosen)
    terminal.tell("This hub has no owner yet. Choose how you will sign in:")
    email = email or _until_right(terminal, lambda: _ask_email(terminal))
    return _until_right(terminal, lambda: _ask_password(email, terminal))


def _until_right(terminal: Terminal, ask: Callable[[], T]) -> T:
    for left in reversed(range(TRIES)):
        try:
            return ask()
        except DomainError as refusal:
            if not left:
                raise
            terminal.tell(refusal.detail)
    raise AssertionError("unreachable")


def _ask_email(terminal: Terminal) -> str:
    email = terminal.ask(f"E-mail [{DEFAULT_EMAIL}]: ").strip() or DEFAULT_EMAIL
    try:
        validate_email(email)
    except ValidationError:
        raise Invalid("That is no e-mail address; type one such as ana@example.org.") from None
    return email


def _ask_password(email: str, terminal: Terminal) -> Made:
    password = terminal.ask_secret("Password (Enter: one is made for you): ")
    if not password:
        chosen = secrets.token_urlsafe(12)
        return _create(email, chosen, shown=chosen)
    if terminal.ask_secret("Password again: ") != password:
        raise Invalid("The two passwords differ; type the same one twice.")
    return _create(email, password, shown="")


def _create(email: str, password: str, *, shown: str) -> Made:
    actions.create_owner(operator(), email=email, password=password, may_run_commands=True)
    return Made(email, shown)
