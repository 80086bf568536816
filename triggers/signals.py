"""What parts of this app hear of its messages."""

from django.dispatch import Signal

messages_stored = Signal()
"""Sent within the transaction that stored push messages: `sender=PushMessage, account_id=…, messages=[…]`."""
