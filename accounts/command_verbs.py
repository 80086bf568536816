"""A management command of verbs, each about one account: its frame, and one call of it."""

from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from django.core.management.base import OutputWrapper

from accounts.launches.tree import is_agents
from accounts.models import Account
from accounts.reading import account_of_owner
from core.actor import Actor, operator
from core.commands import Error, HubCommand
from core.errors import Invalid

REFUSED = 5
"""The exit code where an agent types what is for its owner; the terminal client's is the same."""


@dataclass(frozen=True, slots=True)
class Call:
    """Whose account, what was given, where to write."""

    account: Account
    options: dict[str, Any]
    out: OutputWrapper
    err: OutputWrapper

    @property
    def actor(self) -> Actor:
        """The operator in that account."""
        return operator(self.account.pk)


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: its line of help, its arguments, its work."""

    help: str
    arguments: Callable[..., None]
    run: Callable[[Call], None]


class VerbCommand(HubCommand):
    """A command whose first word is one of its `verbs`; `whose` says in the help what of an account it is about.

    `bare`: the verb that is meant where none is given. `for_owner`: refused within an agent's process tree.
    """

    verbs: ClassVar[dict[str, Verb]]
    whose: ClassVar[str]
    bare: ClassVar[str] = ""
    for_owner: ClassVar[bool] = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A parser a verb, and the account that all of them take."""
        parsers = parser.add_subparsers(dest="verb", required=not self.bare, metavar="|".join(self.verbs))
        for name, verb in self.verbs.items():
            one = parsers.add_parser(name, help=verb.help)
            verb.arguments(one)
            self._account_argument(one)
        if self.bare:
            self._account_argument(parser)

    def _account_argument(self, parser: ArgumentParser) -> None:
        """Left out where it is not given: so the verb's own does not undo what stands before the verb."""
        told = f"whose {self.whose}; not needed while there is one account"
        parser.add_argument("--account", metavar="EMAIL", default=SUPPRESS, help=told)

    def run(self, **options: Any) -> None:
        """Do what the verb does."""
        if self.for_owner and is_agents():
            raise Error("This is for the owner, not for an agent; run it in a terminal of your own.", returncode=REFUSED)
        given = options if options["verb"] else {**self._bare_options(), **options, "verb": self.bare}
        call = Call(account=account_named(given.get("account")), options=given, out=self.stdout, err=self.stderr)
        self.verbs[given["verb"]].run(call)

    def _bare_options(self) -> dict[str, Any]:
        """What the bare verb takes, each as if it was left out."""
        parser = ArgumentParser()
        self.verbs[self.bare].arguments(parser)
        return vars(parser.parse_args([]))


def account_named(email: str | None) -> Account:
    """The owner's account, or the only one there is. Raises NotFound and Invalid."""
    if email:
        return account_of_owner(email)
    found = list(Account.objects.select_related("owner").order_by("pk")[:2])
    if len(found) != 1:
        raise Invalid(
            "Name the account with --account EMAIL; there is not exactly one."
            if found
            else "There is no account yet; make one with create_owner."
        )
    account: Account = found[0]
    return account


def counted(count: int, one: str, more: str) -> str:
    """The number with its noun."""
    return f"{count} {one if count == 1 else more}"
