"""What the owner decides on a chain of messages that used up its budget."""

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts.permissions import may_manage_account
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.errors import Conflict, Forbidden, NotFound
from sessions_app.models import Chain, Run, SessionSettings
from sessions_app.news import sessions_key
from sessions_app.runs.actions import HELD_BUDGET, release, stop

ENDED_BY_OWNER = "The owner ended this chain of messages."


@transaction.atomic
def extend(actor: Actor, chain: Chain) -> Chain:
    """Let a chain that asks go on for as many runs as its account gives one; those that were held begin.

    Raises Forbidden (no person), NotFound (foreign), Conflict (it does not ask). Audited.
    """
    found = _asking(actor, chain)
    more = SessionSettings.objects.values_list("chain_budget", flat=True).get(pk=found.account_id)
    asked = Chain.objects.filter(pk=found.pk, state=Chain.ASKED)
    if not asked.update(state=Chain.OPEN, asked_at=None, budget=F("runs_begun") + max(1, more)):
        raise _decided()
    _release(found)
    record(actor, "chain.extended", target=f"chain:{found.pk}", account_id=found.account_id, by=max(1, more))
    return _told(found)


@transaction.atomic
def end_chain(actor: Actor, chain: Chain) -> Chain:
    """End a chain: nothing more of it starts, what waits in it is stopped, and who waits for that is told so.

    Raises as `extend`; one that has budget left can be ended too.
    """
    found = _own(actor, chain)
    if not Chain.objects.filter(pk=found.pk).exclude(state=Chain.ENDED).update(state=Chain.ENDED, asked_at=None):
        raise _decided()
    record(actor, "chain.ended", target=f"chain:{found.pk}", account_id=found.account_id)
    for run in Run.objects.filter(chain_id=found.pk, state=Run.QUEUED).select_related("session", "chain").order_by("pk"):
        stop(actor, run, reason=ENDED_BY_OWNER)
    return _told(found)


def _own(actor: Actor, chain: Chain) -> Chain:
    if actor.is_system or not may_manage_account(actor, chain.account_id):
        if actor.is_agent or actor.is_system:
            raise Forbidden("Only the owner decides on a chain; ask the owner on Home.")
        raise NotFound(_("There is no such chain of messages; look at Home again."))
    found: Chain | None = Chain.objects.visible_to(actor).filter(pk=chain.pk).first()
    if found is None:
        raise NotFound(_("There is no such chain of messages; look at Home again."))
    return found


def _asking(actor: Actor, chain: Chain) -> Chain:
    found = _own(actor, chain)
    if found.state != Chain.ASKED:
        raise _decided()
    return found


def _decided() -> Conflict:
    return Conflict(_("This chain asks nothing any more; look at Home again."), code="chain_decided")


def _release(chain: Chain) -> None:
    """Begin what was held, the oldest first, as far as the new budget reaches; if more is held the chain asks again."""
    held = Run.objects.filter(chain_id=chain.pk, state=Run.QUEUED, held=HELD_BUDGET).select_related("session", "chain")
    for run in held.order_by("pk"):
        within = Chain.objects.filter(pk=chain.pk, runs_begun__lt=F("budget"))
        if not within.update(runs_begun=F("runs_begun") + 1):
            Chain.objects.filter(pk=chain.pk).update(state=Chain.ASKED, asked_at=clock.now())
            return
        release(run)


def _told(chain: Chain) -> Chain:
    news.publish_on_commit(sessions_key(chain.account_id))
    chain.refresh_from_db()
    return chain
