"""What could not be stored yet, on a page."""

from typing import Any

from django import template

from triggers.inbox.unstored import recent

register = template.Library()


@register.inclusion_tag("triggers/unstored.html")
def unstored(account_id: int) -> dict[str, Any]:
    """The messages of the account that wait in memory, newest first; nothing where none do."""
    return {"unstored": recent(account_id)[::-1]}
