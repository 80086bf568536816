"""One call of `manage.py chat`."""

from dataclasses import dataclass
from typing import Any

from django.core.management.base import OutputWrapper

from accounts.models import Account
from accounts.reading import account_of_owner
from core.actor import Actor, operator
from core.errors import Invalid


@dataclass(frozen=True, slots=True)
class Call:
    """Whose chat, what was given, where to write."""

    account: Account
    options: dict[str, Any]
    out: OutputWrapper
    err: OutputWrapper

    @property
    def actor(self) -> Actor:
        """The operator in that account."""
        return operator(self.account.pk)


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
