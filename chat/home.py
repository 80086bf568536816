"""What of the chat waits for the owner on the page Home."""

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from chat.models import ChatSettings
from core.actor import Actor
from core.registry import HomeCard

NEARLY_FULL = 80
"""Per cent of the account's storage from which on its owner is told."""


def waiting(actor: Actor) -> list[HomeCard]:
    """Cards for a switch that is off and for storage that is nearly full."""
    kept = ChatSettings.objects.visible_to(actor).filter(account_id=actor.account_id)
    row = kept.values_list("allowed", "account__chat_counter__stored_bytes").first()
    if row is None:
        return []
    allowed, stored = row
    cards, address = [], reverse("admin:settings")
    if not allowed:
        sentence = _("Agent chat is off: your agents can neither post nor read nor wait.")
        cards.append(HomeCard(sentence, address, _("Turn it on in Settings")))
    full = 100 * (stored or 0) // settings.CHAT_STORAGE_BYTES if settings.CHAT_STORAGE_BYTES else 0
    if full >= NEARLY_FULL:
        sentence = _("The chat fills %(full)s %% of its storage; when that is full, posts are refused.") % {
            "full": min(full, 100)
        }
        cards.append(HomeCard(sentence, address, _("Keep fewer days")))
    return cards
