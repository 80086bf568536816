"""Labels: what owners and agents call sessions by. Pure."""

from core.errors import Invalid
from core.text import first_control_character

LABEL_LENGTH = 64


def clean_label(given: str) -> str:
    """A label without the space around it, perhaps nothing; raises Invalid for one that is too long or not on one line."""
    if len(given) > LABEL_LENGTH or first_control_character(given) is not None or "\n" in given or "\t" in given:
        raise Invalid(f"A label has at most {LABEL_LENGTH} characters on one line; shorten it.")
    return given.strip()


def named_label(given: str) -> str:
    """The label that somebody names a session by; raises Invalid, also where nothing is left of it."""
    if not given.strip():
        raise Invalid("The label is blank; give a label that a session has, or its sessionKey.")
    return clean_label(given)
