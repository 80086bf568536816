"""What an owner's message says to the hub itself instead of to the session's agent."""

import re

from core.actor import Actor
from sessions_app.keeping.actions import patch
from sessions_app.models import Session

SEND = re.compile(r"/send\s+(on|off|inherit)", re.IGNORECASE)


def policy_in(text: str) -> str | None:
    """`on`, `off` or `inherit` where the whole message is `/send` with that word, in any case; None for any other."""
    found = SEND.fullmatch(text.strip())
    return found[1].lower() if found else None


def owner_message(actor: Actor, session: Session, text: str) -> bool:
    """Obey a stand-alone `/send on|off|inherit` of the session's owner: its send policy is patched, and the answer is True.

    False: the message is none of these, and is for the agent. Raises Forbidden, NotFound.
    """
    if (said := policy_in(text)) is None:
        return False
    patch(actor, session, send_policy=said)
    return True
