"""What a hook rests on, in one statement: with every tool an agent uses one is asked."""

from dataclasses import dataclass
from datetime import datetime

from chat.store import aware, execute

_HELD = """
    SELECT l.account_id, l.user_id, l.connection_id, l.profile, a.status, a.hook_at, a.told_seq, a.noticed_at
    FROM accounts_launch l LEFT JOIN chat_attendance a ON a.launch_id = l.id WHERE l.id = %s AND l.ended_at IS NULL
"""


@dataclass(frozen=True, slots=True)
class Held:
    """A live launch, and what its hooks told and were told until now; `told_seq`: up to which mention."""

    launch_id: int
    account_id: int
    user_id: int
    connection_id: str
    profile: str
    status: str
    hook_at: datetime | None
    told_seq: int
    noticed_at: datetime | None


def held(launch_id: int) -> Held | None:
    """The launch, or None for one that has ended or never was."""
    rows = execute(_HELD, [launch_id])
    if not rows:
        return None
    account_id, user_id, connection_id, profile, status, hook_at, told_seq, noticed_at = rows[0]
    return Held(
        launch_id=launch_id, account_id=account_id, user_id=user_id, connection_id=connection_id, profile=profile,
        status=status or "", hook_at=aware(hook_at) if hook_at else None, told_seq=told_seq or 0,
        noticed_at=aware(noticed_at) if noticed_at else None,
    )  # fmt: skip
