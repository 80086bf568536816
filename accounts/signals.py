"""What the apps above hear of accounts."""

from django.dispatch import Signal

account_created = Signal()
"""Sent within the transaction that made an account: `sender=Account, account=…`; a receiver stores its one row."""
connection_revoked = Signal()
"""Sent within the transaction that revoked a connection: `sender=Connection, connection=…`."""
launch_begun = Signal()
"""Sent within the transaction that registered a launch, or took back one that was given up: `sender=Launch, launch=…`."""
launch_ended = Signal()
"""Sent within the transaction that ended a launch: `sender=Launch, launch=…`; its `end_reason` says why."""
launch_changed = Signal()
"""Sent within the transaction that changed what is known of a live launch's pane: `sender=Launch, launch=…`."""
