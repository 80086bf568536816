"""What the chat does when the floor beneath tells of something."""

from typing import Any

from django.dispatch import receiver

from accounts.models import Account
from accounts.signals import account_created
from chat import actions


@receiver(account_created)
def give_the_account_its_chat(sender: type[Account], account: Account, **kwargs: Any) -> None:
    """In the transaction that made the account."""
    actions.open_chat(account)
