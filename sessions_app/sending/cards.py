"""What of messages between sessions waits for the owner on the page Home."""

from django.urls import reverse
from django.utils.translation import gettext as _

from core.actor import Actor
from core.registry import HomeCard
from core.text import one_line
from sessions_app.models import Chain, Run
from sessions_app.runs.actions import HELD_BUDGET

MOST_CARDS = 5
KEY_LENGTH = 60


def waiting(actor: Actor) -> list[HomeCard]:
    """A card for each chain that used up its budget, the newest first."""
    asked = Chain.objects.visible_to(actor).filter(account_id=actor.account_id, state=Chain.ASKED)
    return [_card(chain) for chain in asked.order_by("-asked_at")[:MOST_CARDS]]


def _card(chain: Chain) -> HomeCard:
    held = Run.objects.filter(chain_id=chain.pk, state=Run.QUEUED, held=HELD_BUDGET).order_by("pk")
    keys = held.values_list("requester__key", "session__key").first() or ("", "")
    sentence = _("A chain of messages has used up its %(runs)d runs: %(from)s would go on to %(to)s.") % {
        "runs": chain.runs_begun,
        "from": one_line(keys[0] or "–", KEY_LENGTH),
        "to": one_line(keys[1] or "–", KEY_LENGTH),
    }
    return HomeCard(sentence, reverse("admin:session-chain", args=[chain.pk]), _("Let it go on, or end it"))
