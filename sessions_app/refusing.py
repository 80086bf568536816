"""What is written down of an agent's call that the owner's settings refused."""

import hashlib

from django.core.cache import cache

from audit.actions import record
from core.actor import Actor
from core.errors import DomainError
from sessions_app.permissions import Refused

TOLD_SECONDS = 60
"""The same refusal of the same caller is written once in so long: nobody fills the log by trying."""


def note_refused(actor: Actor, refusal: DomainError) -> None:
    """Who was refused what, of which session, and by which setting's code."""
    deed, key = (refusal.deed, refusal.key) if isinstance(refusal, Refused) else ("", "")
    told = f"refused:{refusal.code}:{deed}:{actor.author}:{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if cache.add(told, True, timeout=TOLD_SECONDS):
        record(actor, "session.refused", target=actor.connection_id, label=key, reason=refusal.code, tried=deed)
