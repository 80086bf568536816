"""How a message is shown on a page: as text, and nothing in it acts."""

from django import template

from chat.topics import RESERVED_NAME
from chat.values import Entry
from core.text import inert

register = template.Library()
register.filter("inert", inert)


@register.filter
def by_owner(entry: Entry) -> bool:
    """Whether the owner in person wrote it: no agent can take the name, and an agent always comes by a connection."""
    return entry.session_name == RESERVED_NAME and not entry.connection_id
