"""What happens to an account's push inbox as a whole."""

from accounts.models import Account
from triggers.models import TriggerSettings


def open_inbox(account: Account) -> None:
    """Give a new account its push inbox; part of the deed that made it, and recorded there."""
    TriggerSettings.objects.create(account=account)
