"""Reads of the log that need more than a filter."""

from audit.models import Entry
from core.errors import NotFound


def account_ids_of(email: str) -> list[int]:
    """The accounts this owner's e-mail ever had, from the log itself: a deleted account is still found. Raises NotFound."""
    created = Entry.objects.filter(deed="account.created", target_label__iexact=email.strip())
    found = list(created.values_list("account_id", flat=True))
    if not found:
        raise NotFound(f"The log knows no account of {email}; look the address up in the list of accounts.")
    return found
