"""A session as lists show it. Pure but for the row it is given."""

from typing import Any

from django.conf import settings

from sessions_app import keys, policy
from sessions_app.models import Session

CHANNELS = frozenset({"whatsapp", "telegram", "discord", "signal", "imessage", "slack", "webchat", "internal"})
INSIDE = frozenset({"cron", "hook", "node"})


def row_of(session: Session) -> dict[str, Any]:
    """The members of one row; what is empty is left out."""
    row = {
        "key": keys.MAIN if session.key == "global" else session.key,
        "kind": session.kind,
        "channel": channel_of(session),
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


def channel_of(session: Session) -> str:
    """Where its words come from: of a group by its entry or its key, of a direct chat by its last channel."""
    if session.kind in INSIDE:
        return "internal"
    found = policy.channel_of(policy.Place(key=session.key, channel=session.channel)) if session.kind == "group" else ""
    told = found or session.last_channel or session.channel
    return told if told in CHANNELS else "unknown"


def delivery_of(session: Session) -> dict[str, str]:
    """Channel, recipient and account that answers go to, as far as they are known."""
    known = {"channel": session.last_channel, "to": session.last_to, "accountId": session.last_account_id}
    return {name: value for name, value in known.items() if value}


def transcript_path(session: Session) -> str:
    """The page of its transcript, which opens for its owner."""
    return f"{settings.TERTULIA_URL}/sessions/{session.session_id}/"
