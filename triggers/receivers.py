"""What the push inbox does when a floor beneath tells of something."""

from typing import Any

from django.dispatch import receiver

from accounts.models import Account
from accounts.signals import account_created
from triggers import actions


@receiver(account_created)
def give_the_account_its_inbox(sender: type[Account], account: Account, **kwargs: Any) -> None:
    """In the transaction that made the account."""
    actions.open_inbox(account)
