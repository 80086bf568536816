"""How a message is shown on a page: as text, and nothing in it acts."""

import re

from django import template

from chat.topics import RESERVED_NAME
from chat.values import Entry

register = template.Library()
TURNERS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\ufff9-\ufffb]")
"""Characters that turn the direction of the text around them, and so can make a page say what nobody wrote."""


@register.filter
def inert(text: str) -> str:
    """`text` without characters that reorder what stands beside them: each is shown by its number. Escaping is the template's."""
    return TURNERS.sub(lambda found: f"\u27e8U+{ord(found.group()):04X}\u27e9", text)


@register.filter
def by_owner(entry: Entry) -> bool:
    """Whether the owner in person wrote it: no agent can take the name, and an agent always comes by a connection."""
    return entry.session_name == RESERVED_NAME and not entry.connection_id


@register.filter
def seq_of(hit: object) -> int:
    """The number of a search hit's message."""
    return hit.entry.seq  # type: ignore[attr-defined, no-any-return]
