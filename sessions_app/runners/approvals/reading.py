"""What waits for the owner's word, and what he said."""

from collections.abc import Sequence

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.actor import Actor
from core.registry import HomeCard
from sessions_app.models import Run, ToolApproval


def decisions(run: Run) -> dict[str, bool]:
    """What the owner said of the calls of a run, by the call's id."""
    decided = ToolApproval.objects.filter(run=run).exclude(state=ToolApproval.ASKED).values_list("call_id", "state")
    return {call_id: state == ToolApproval.ALLOWED for call_id, state in decided}


def waiting(actor: Actor) -> Sequence[HomeCard]:
    """A card where runs wait for the owner to allow tools."""
    asked = ToolApproval.objects.visible_to(actor).filter(
        account_id=actor.account_id, state=ToolApproval.ASKED, run__state=Run.QUEUED
    )
    count = asked.count()
    if not count:
        return []
    sentence = ngettext(
        "%(count)d tool waits for your leave in a run.", "%(count)d tools wait for your leave in runs.", count
    ) % {"count": count}
    try:
        address = reverse("admin:tool-approvals")
    except NoReverseMatch:
        address = "/"
    return [HomeCard(sentence, address, _("Decide"))]
