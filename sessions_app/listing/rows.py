"""A session as lists show it. Pure but for the row it is given."""

from typing import Any

from django.conf import settings

from sessions_app import keys
from sessions_app.models import Session


def row_of(session: Session) -> dict[str, Any]:
    """The members of one row; what is empty is left out."""
    row = {
        "key": keys.shown(session.key),
        "kind": session.kind,
        "channel": keys.channel_of(session.kind, session.key, session.channel, session.last_channel),
        "displayName": session.display_name,
        "updatedAt": int(session.updated_at.timestamp() * 1000),
        "sessionId": str(session.session_id),
        "model": session.model_override or session.model,
        "contextTokens": session.context_tokens,
        "totalTokens": session.total_tokens,
        "thinkingLevel": session.thinking_level,
        "verboseLevel": session.verbose_level,
        "systemSent": session.system_sent,
        "abortedLastRun": session.aborted_last_run,
        "sendPolicy": session.send_policy,
        "lastChannel": session.last_channel,
        "lastTo": session.last_to,
        "deliveryContext": delivery_of(session),
        "label": session.label,
        "transcriptPath": transcript_path(session),
    }
    return {name: value for name, value in row.items() if value not in ("", None, {})}


def delivery_of(session: Session) -> dict[str, str]:
    """Channel, recipient and account that answers go to, as far as they are known."""
    known = {"channel": session.last_channel, "to": session.last_to, "accountId": session.last_account_id}
    return {name: value for name, value in known.items() if value}


def transcript_path(session: Session) -> str:
    """The page of its transcript, which opens for its owner."""
    return f"{settings.TERTULIA_URL}/sessions/{session.session_id}/"
