"""What an owner may say of a session, and what each of it must look like. Pure."""

from dataclasses import dataclass

from core.errors import Invalid
from core.text import first_control_character
from sessions_app import keys
from sessions_app.labels import LABEL_LENGTH

NAME_LENGTH, MODEL_LENGTH, LEVEL_LENGTH, CHANNEL_LENGTH, TO_LENGTH = 128, 128, 16, 32, 256
SHORTEST = {
    "label": LABEL_LENGTH,
    "display_name": NAME_LENGTH,
    "model_override": MODEL_LENGTH,
    "thinking_level": LEVEL_LENGTH,
    "verbose_level": LEVEL_LENGTH,
    "channel": CHANNEL_LENGTH,
    "chat_type": LEVEL_LENGTH,
    "last_channel": CHANNEL_LENGTH,
    "last_to": TO_LENGTH,
    "last_account_id": 64,
    "last_thread_id": 64,
}
"""The most characters of each."""
LOWER = frozenset({"channel", "chat_type", "last_channel"})
POLICIES = {"allow": "allow", "on": "allow", "deny": "deny", "off": "deny", "inherit": "", "": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a new session is answered: the channel, whom there, by which account, in which thread."""

    channel: str = ""
    to: str = ""
    account: str = ""
    thread: str = ""


def checked(name: str, value: str) -> str:
    """A value as it is kept, without space around it; raises Invalid for one that is too long or not on one line."""
    told = value.strip()
    if len(told) > SHORTEST[name] or first_control_character(told) is not None or "\n" in told or "\t" in told:
        raise Invalid(f"{shown(name)} takes at most {SHORTEST[name]} characters on one line; shorten it.")
    return told.lower() if name in LOWER else told


def shown(name: str) -> str:
    """A column as people call it."""
    return name.removesuffix("_override").removeprefix("last_").replace("_", " ")


def policy_of(given: str) -> str:
    """`allow`, `deny` or nothing, by the words `on`, `off` and `inherit` too; raises Invalid for any other."""
    if (policy := POLICIES.get(given.strip().lower())) is None:
        raise Invalid("A session's send policy is on, off or inherit; give one of them.")
    return policy


def check_key(given: str) -> str:
    """A key that a new session may have; raises Invalid."""
    key = given.strip()
    is_long = len(key) > keys.LONGEST_KEY
    if not key or is_long or not key.isprintable() or any(letter.isspace() for letter in key):
        raise Invalid(f"A key has 1 to {keys.LONGEST_KEY} printable characters without a space, such as hook:deploys.")
    if key.lower() in keys.HIDDEN:
        raise Invalid("That key stands for no session of its own; take another, such as hook:deploys.")
    return key
