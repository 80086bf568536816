"""The clean-up of push messages: trails past their cap, and those of an account that goes."""

from collections.abc import Callable

from core.actor import Actor, system
from triggers.inbox.trail import actions as trail
from triggers.models import PushMessage, TriggerSettings


def prune(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Trim each trail that is past its cap, as after the cap was lowered; answers how many messages went (or would)."""
    gone = 0
    for kept in TriggerSettings.objects.visible_to(actor).order_by("pk"):
        if over := trail.excess(kept):
            gone += _would_go(kept, over) if dry_run else _trim(actor, kept.pk, progress)
    return gone


def _trim(actor: Actor, account_id: int, progress: Callable[[int], None]) -> int:
    gone = 0
    while went := trail.trim_account(actor, account_id):
        progress(went)
        gone += went
    return gone


def _would_go(kept: TriggerSettings, over: int) -> int:
    rows = PushMessage.objects.filter(account_id=kept.pk, seq__lt=kept.last_seq).order_by("seq").values_list("size", flat=True)
    going = freed = 0
    for size in rows.iterator(chunk_size=trail.MOST):
        if freed >= over:
            break
        going, freed = going + 1, freed + size
    return going


def take_all(account_id: int, *, up_to: int) -> int:
    """Delete the account's messages up to a number for good, in short transactions; answers how many went."""
    gone = 0
    while went := trail.take_oldest(system(account_id=account_id), account_id, up_to=up_to):
        gone += went
    return gone


def forget_account(account_id: int) -> None:
    """Delete an account's push messages before its row goes."""
    latest = TriggerSettings.objects.filter(pk=account_id).values_list("last_seq", flat=True).first()
    take_all(account_id, up_to=latest or 0)
