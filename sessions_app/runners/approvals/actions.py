"""A run asks its owner for a tool, and the owner answers."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.permissions import may_manage_account
from audit.actions import record
from core import clock
from core.actor import Actor
from core.errors import Conflict, Gone, NotFound
from sessions_app.models import Run, ToolApproval
from sessions_app.runners.work import Pending
from sessions_app.runs.actions import release, tell
from sessions_app.runs.credentials import forget

HELD_APPROVAL = "approval"


@transaction.atomic
def ask(run: Run, pending: Pending) -> None:
    """Put a run back into the queue until its owner has decided on the tools it asks for; raises Gone where the claim is no
    longer in force."""
    mine = Run.objects.filter(pk=run.pk, lease=run.lease, state__in=Run.TAKEN, stop_asked_at=None)
    held = mine.update(
        state=Run.QUEUED,
        held=HELD_APPROVAL,
        lease="",
        lease_until=None,
        credential=None,
        progress=pending.progress,
        attempts=0,
        input_tokens=pending.input_tokens,
        output_tokens=pending.output_tokens,
    )
    if not held:
        raise Gone("This run is no longer yours; drop its result.")
    now = clock.now()
    for each in pending.asked:
        ToolApproval.objects.create(
            account_id=run.account_id, run=run, call_id=each.call_id, tool=each.tool, arguments=each.arguments, asked_at=now
        )
    forget(run)
    tell(run)


@transaction.atomic
def decide(actor: Actor, approval: ToolApproval, allow: bool) -> ToolApproval:
    """The owner's answer; once nothing more of its run is asked, the run goes on. Raises NotFound (unknown or foreign),
    Conflict (answered already, or the run has ended)."""
    held: ToolApproval | None = (
        ToolApproval.objects.visible_to(actor).filter(pk=approval.pk).select_related("run__session").first()
    )
    if held is None or not may_manage_account(actor, held.account_id):
        raise NotFound(_("No such question; look it up in the list of what waits for you."))
    run = Run.objects.select_for_update().get(pk=held.run_id)
    state = ToolApproval.ALLOWED if allow else ToolApproval.DENIED
    asked = ToolApproval.objects.filter(pk=held.pk, state=ToolApproval.ASKED, run__state=Run.QUEUED)
    if not asked.update(state=state, decided_at=clock.now()):
        raise Conflict(_("This was decided already, or its run has ended."))
    label = f"{held.tool} in {held.run.session.key}"
    record(actor, f"tool.{state}", target=f"run:{run.run_id}", label=label, account_id=held.account_id)
    if not ToolApproval.objects.filter(run=run, state=ToolApproval.ASKED).exists():
        release(run)
    held.refresh_from_db()
    return held
