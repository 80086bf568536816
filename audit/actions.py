"""The one way to write the audit log."""

from typing import Any

from django.conf import settings
from django.db import transaction

from audit.export import json_line
from audit.journal import Journal
from audit.models import Entry
from audit.news import audit_key
from core import clock, news
from core.actor import Actor
from core.text import cut_bytes

journal = Journal(settings.AUDIT_JOURNAL)


def record(actor: Actor, deed: str, *, target: str = "", label: str = "", account_id: int | None = None, **details: Any) -> Entry:
    """Write one entry in the surrounding transaction, and its line in the journal once that has committed.

    `details` are plain values: never a secret, never message text.
    """
    spoken_of = actor.account_id if account_id is None else account_id
    if spoken_of is not None:
        news.publish_on_commit(audit_key(spoken_of))
    entry = Entry.objects.create(
        at=clock.now(),
        account_id=spoken_of,
        user_id=actor.user_id,
        who=cut_bytes(_name(actor), 254),
        door=str(actor.door),
        deed=deed,
        connection_id=actor.connection_id,
        target=cut_bytes(target, 128),
        target_label=cut_bytes(label, 254),
        details=details,
    )
    transaction.on_commit(lambda: journal.append(json_line(entry)), robust=True)
    return entry


def _name(actor: Actor) -> str:
    """How the log calls the actor; a client chose its own name, and must not pass for a person or for the hub."""
    name = actor.label or actor.author
    return f"client {name}" if actor.is_agent else name
