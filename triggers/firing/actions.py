"""Everything that happens to a firing."""

from collections.abc import Sequence

from triggers.models import PushMessage, TriggerSettings


def fire_on(kept: TriggerSettings, messages: Sequence[PushMessage]) -> None:
    """Let the account's rules see messages that are being stored; part of that transaction."""
