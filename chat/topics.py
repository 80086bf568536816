"""The grammar of topics and of names. Pure."""

import re
import unicodedata

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core.errors import Invalid
from core.text import WITHOUT_SHAPE, is_printable

DEFAULT_TOPIC = "general"
TOPIC_LENGTH = 100
TOPIC_RULE = gettext_noop(
    "a topic is 1 to 100 characters of a-z 0-9 . _ / -, the first one a letter or digit, for example docs/review"
)
SESSION_NAME_LENGTH = 64
RESERVED_NAME = "maintainer"
_LOOKS_LIKE = {
    like: letter
    for letter, likes in {
        "m": "\u043c\u03bc\u1d0d",
        "a": "\u0430\u03b1\u1d00",
        "i": "\u0456\u03b9\u026a\u0131\u04cf1l|!",
        "n": "\u03bd\u03b7\u043f\u0274",
        "t": "\u0442\u03c4\u1d1b",
        "e": "\u0435\u03b5\u1d07",
        "r": "\u0433\u0280",
    }.items()
    for like in likes
}
"""Cyrillic, Greek, small capitals and digits that a reader takes for these letters, folded to lower case."""
_TOPIC = re.compile(r"[a-z0-9][a-z0-9._/-]{0,99}")


def is_topic(text: str) -> bool:
    """Whether `text` keeps the rule of topics."""
    return _TOPIC.fullmatch(text) is not None


def check_topic(text: str) -> str:
    """The topic itself; raises Invalid with the rule."""
    if not is_topic(text):
        raise Invalid(_("That is no topic: %(rule)s.") % {"rule": _(TOPIC_RULE)}, code="invalid_topic")
    return text


def is_session_name(text: str) -> bool:
    """Whether `text` is 1–64 printable characters; compared exactly, never trimmed."""
    return 1 <= len(text) <= SESSION_NAME_LENGTH and is_printable(text)


def check_session_name(text: str) -> str:
    """The name itself; raises Invalid for a malformed or reserved one."""
    if not is_session_name(text):
        raise Invalid(
            "session_name takes 1 to 64 printable characters; choose a short name of your own.", code="invalid_session_name"
        )
    if looks_reserved(text):
        raise Invalid("The name maintainer belongs to the owner; choose another session_name.", code="invalid_session_name")
    return text


def looks_reserved(text: str) -> bool:
    """Whether a person would read the owner's reserved name: letters of other scripts, marks, blanks and signs aside."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    letters = "".join(_LOOKS_LIKE.get(character, character) for character in plain)
    seen = "".join(filter(str.isalpha, WITHOUT_SHAPE.sub("", letters)))
    return seen.replace("rn", "m") == RESERVED_NAME
