"""What of the chat waits for the owner on the page Home."""

from django.conf import settings
from django.db.models import Count, Min
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.grants.reading import launches
from chat.models import ChatSettings, Mention
from chat.values import OWNER_TARGET
from core.actor import Actor
from core.registry import HomeCard

NEARLY_FULL = 80
"""Per cent of the account's storage from which on its owner is told."""


def waiting(actor: Actor) -> list[HomeCard]:
    """Cards for a switch that is off, for storage that is nearly full, for launches without a grant, and for mentions."""
    kept = ChatSettings.objects.visible_to(actor).filter(account_id=actor.account_id)
    row = kept.values_list("allowed", "account__chat_counter__stored_bytes").first()
    if row is None:
        return []
    allowed, stored = row
    switch = [] if allowed else [_switched_off()]
    return [*switch, *_nearly_full(stored or 0), *_mentioned(actor), *_to_grant(actor)]


def _switched_off() -> HomeCard:
    sentence = _("Agent chat is off: your agents can neither post nor read nor wait.")
    return HomeCard(sentence, reverse("admin:settings"), _("Turn it on in Settings"))


def _nearly_full(stored: int) -> list[HomeCard]:
    full = 100 * stored // settings.CHAT_STORAGE_BYTES if settings.CHAT_STORAGE_BYTES else 0
    if full < NEARLY_FULL:
        return []
    sentence = _("The chat fills %(full)s %% of its storage; when that is full, posts are refused.") % {"full": min(full, 100)}
    return [HomeCard(sentence, reverse("admin:settings"), _("Keep fewer days"))]


def _mentioned(actor: Actor) -> list[HomeCard]:
    """Leads to the oldest of them."""
    unread = Mention.objects.visible_to(actor).filter(account_id=actor.account_id, target=OWNER_TARGET, read_at=None)
    told = unread.aggregate(count=Count("*"), oldest=Min("seq"))
    if not told["count"]:
        return []
    sentence = ngettext(
        "%(count)d message mentions you, and you have not read it.",
        "%(count)d messages mention you, and you have not read them.",
        told["count"],
    )
    return [HomeCard(sentence % told, reverse("admin:chat-message", args=[told["oldest"]]), _("Read in the chat"))]


def _to_grant(actor: Actor) -> list[HomeCard]:
    ungranted = launches(actor).live().filter(grants=None).exclude(start_token="")
    count = ungranted.count()
    if not count:
        return []
    sentence = ngettext("%(count)d launched agent holds no grant yet.", "%(count)d launched agents hold no grant yet.", count) % {
        "count": count
    }
    return [HomeCard(sentence, reverse("admin:launches"), _("Look at the launches"))]
