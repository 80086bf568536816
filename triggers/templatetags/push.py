"""How push messages and firings are shown on a page: in words, and text from elsewhere in one line."""

import re

from django import template
from django.http import HttpRequest

from core.pages import person
from core.text import WITHOUT_SHAPE, byte_length, inert, one_line
from triggers.models import Firing, PushMessage
from triggers.owning import reading, words
from triggers.rules.templates import MOST_BYTES
from triggers.values import PREVIEW

NAME_LENGTH = 100
CONTENT_MOST = MOST_BYTES
"""Characters of a message that a page shows; a journal holds the rest. What an agent would be asked is never longer."""
UNSEEN = re.compile(f"[\u00ad\u200b\u2060-\u2064\u206a-\u206f\ufeff\U000e0000-\U000e007f]|{WITHOUT_SHAPE.pattern}")
"""What an agent reads and nobody sees. Joiners and what chooses an emoji's look are left alone."""

register = template.Library()


@register.filter
def place_of(held: PushMessage | Firing) -> str:
    """Where it was pushed: server and channel."""
    return inert(one_line(f"{held.server}/{held.channel}", NAME_LENGTH))


@register.filter
def preview(held: PushMessage | Firing) -> str:
    """The beginning of its content in one line; escaping is the template's."""
    return inert(one_line(held.content, PREVIEW))


@register.filter
def shown_text(text: str) -> str:
    """Text from elsewhere with its lines, cut where a page would be endless; what turns its direction or is not seen is shown by
    its number."""
    return UNSEEN.sub(lambda found: f"\u27e8U+{ord(found.group()):04X}\u27e9", inert(text[:CONTENT_MOST]))


@register.filter
def is_cut(text: str) -> bool:
    """Whether `shown_text` leaves something out."""
    return len(text) > CONTENT_MOST


@register.filter
def size_of(text: str) -> int:
    """Its bytes."""
    return byte_length(text)


@register.filter
def firing_tone(held: Firing) -> str:
    """Which colour its state has."""
    return words.TONES.get(held.state, "quiet")


@register.filter
def firing_words(held: Firing) -> str:
    """Its state."""
    if held.state == Firing.QUEUED and held.accepted:
        return str(words.ACCEPTED)
    return str(words.STATES.get(held.state, held.state))


@register.filter
def mode_words(held: Firing) -> str:
    """What its rule does, or that the owner ran the message himself."""
    return str(words.BY_HAND if held.by_hand else words.MODES.get(held.mode, held.mode))


@register.simple_tag
def push_told(request: HttpRequest) -> reading.Told | None:
    """What every page tells whoever looks, asked for once a request; None without an account."""
    if not hasattr(request, "push_told"):
        request.push_told = reading.told(person(request))  # type: ignore[attr-defined]
    return request.push_told  # type: ignore[attr-defined, no-any-return]
