"""Everything that is added to a transcript."""

from typing import Any

from django.db import transaction
from django.db.models import F

from core import clock, news
from sessions_app.models import Entry, Run, Session
from sessions_app.news import session_key, sessions_key


@transaction.atomic
def append(
    session: Session,
    message: dict[str, Any],
    *,
    run: Run | None = None,
    provenance: dict[str, Any] | None = None,
) -> int:
    """Add one message (`{"role": …, "content": …}`) to the transcript in force and answer its number.

    Part of a deed that was checked and recorded. The number comes from the session's row, locked in this transaction.
    """
    now = clock.now()
    Session.objects.filter(pk=session.pk).update(last_seq=F("last_seq") + 1, updated_at=now)
    seq, transcript = Session.objects.values_list("last_seq", "session_id").get(pk=session.pk)
    Entry.objects.create(
        account_id=session.account_id,
        session_id=session.pk,
        session_id_kept=transcript,
        seq=seq,
        role=str(message.get("role", ""))[:16],
        message=message,
        run=run,
        provenance=provenance,
        created_at=now,
    )
    session.last_seq, session.updated_at = seq, now
    news.publish_on_commit(session_key(session.pk), sessions_key(session.account_id))
    return int(seq)
