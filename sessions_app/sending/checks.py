"""What a message from session to session must look like before anything is looked up. Pure."""

import re

from core.errors import Invalid
from sessions_app.labels import named_label

THREAD = re.compile(r"^(?P<parent>.+):thread:[^:]+$", re.IGNORECASE)


def check_address(session_key: str | None, label: str | None) -> None:
    """Raises Invalid unless exactly one of them names the target, in a form that a session can have."""
    if session_key is None and label is None:
        raise Invalid("Name the session: give sessionKey or label.")
    if session_key is not None and label is not None:
        raise Invalid("Give either sessionKey or label, not both.")
    if label is not None:
        named_label(label)
    elif not (session_key or "").strip():
        raise Invalid("sessionKey is blank; give a key or an id that sessions_list shows, or a label.")
    if session_key is not None:
        check_parent(session_key)


def check_parent(key: str) -> None:
    """Raises Invalid for the key of a thread: messages go to the session it hangs on."""
    found = THREAD.match(key.strip())
    if found:
        raise Invalid("That is the key of a thread; send to its parent, the key without :thread:… at its end.")
