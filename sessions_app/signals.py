"""What parts of this app, and those above, hear of runs."""

from django.dispatch import Signal

run_begun = Signal()
"""Sent within the transaction that queued a run or gave it free: `sender=Run, run=…`; a receiver offers or dispatches it."""
run_ended = Signal()
"""Sent within the transaction that ended a run: `sender=Run, run=…, actor=…`; its state, reply and error say how."""
announcement_ended = Signal()
"""Sent within the transaction that settled an announcement: `sender=Announcement, announcement=…`; sent, or failed and why."""
