"""What the apps above hear of accounts."""

from django.dispatch import Signal

account_created = Signal()
"""Sent within the transaction that made an account: `sender=Account, account=…`; a receiver stores its one row."""
