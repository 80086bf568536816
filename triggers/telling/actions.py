"""What an owner has agents told of push messages."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.permissions import require_owner
from audit.actions import record
from core.actor import Actor
from core.errors import NotFound
from sessions_app.finding.actions import reach_or_open
from sessions_app.models import SessionSettings
from sessions_app.transcripts.actions import append
from triggers.inbox.reading import recent
from triggers.telling.block import INJECTED_BYTES, block
from triggers.values import INJECTED

MAIN = "main"


@transaction.atomic
def inject(actor: Actor, session_given: str = MAIN) -> int:
    """Add the newest push messages to a session's transcript, as one system entry that its next turn is given; how many.

    `session_given` is a key or an id; an agent's main session is made where there is none yet. Raises Forbidden (an agent's
    token), NotFound, Conflict.
    """
    account_id = require_owner(actor)
    kept = SessionSettings.objects.get(pk=account_id)
    try:
        session = reach_or_open(kept, None, session_given, "send")
    except NotFound:  # which tells an agent of a tool
        raise NotFound(_("No such session; look it up in the list of sessions.")) from None
    messages = recent(account_id, INJECTED)
    if not messages:
        return 0
    text = block(messages, most=INJECTED_BYTES)
    append(session, {"role": "system", "content": text}, provenance={"kind": "push", "sourceTool": "inject"})
    record(
        actor,
        "push.injected",
        target=f"session:{session.pk}",
        label=session.key,
        account_id=account_id,
        messages=len(messages),
        last=messages[-1].seq,
    )
    return len(messages)
