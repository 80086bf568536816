"""What sessions do when the floor beneath, or another part of theirs, tells of something."""

from typing import Any

from django.dispatch import receiver

from accounts.models import Account
from accounts.signals import account_created
from sessions_app import actions


@receiver(account_created)
def give_the_account_its_sessions(sender: type[Account], account: Account, **kwargs: Any) -> None:
    """In the transaction that made the account."""
    actions.open_sessions(account)
