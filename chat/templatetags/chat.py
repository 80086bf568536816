"""How a message is shown on a page: as text, and nothing in it acts."""

from django import template
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from chat import mentions, showing
from chat.receipts import MentionReceipt
from chat.values import Entry
from core.pages import person
from core.text import inert

OFFERS = {
    "digest": gettext_lazy("by its hook"),
    "wake": gettext_lazy("by a wake"),
    "tool": gettext_lazy("by a tool"),
}

register = template.Library()
register.filter("inert", inert)
register.filter("by_owner", showing.by_owner)


@register.filter
def pieces(entry: Entry) -> list[tuple[str, bool]]:
    """The body in pieces, each with whether it is the mention of somebody whom the hub found when it was posted."""
    return mentions.pieces(entry.body, entry.mentions)


@register.filter
def offered_words(receipt: MentionReceipt) -> str:
    """How its target was offered the message first."""
    return str(OFFERS[receipt.offered_by])


@register.simple_tag
def unread_mentions(request: HttpRequest) -> int:
    """How many messages mention whoever looks that he has not read."""
    return showing.unread_mentions(person(request))
