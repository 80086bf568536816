"""Forgetting which deliveries were taken, once nobody can send them again."""

from collections.abc import Callable
from datetime import timedelta

from django.db.models import Count, Q, QuerySet

from core import clock
from core.actor import Actor
from core.batches import remove_in_batches
from triggers.models import Webhook, WebhookDelivery
from triggers.webhooks.actions import remove_deliveries

BATCH = 500
KEPT = {Webhook.GENERIC: timedelta(hours=1), Webhook.GITHUB: timedelta(days=90)}
"""A generic signature is past its time within minutes; GitHub's has no time in it, so its deliveries are remembered long."""
MOST = 100_000
"""Deliveries that are remembered of one webhook: whoever knows its secret does not fill the disk with them."""


def prune_deliveries(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove what is past its time, and of webhooks that took too many the oldest; in batches."""
    old = Q()
    for kind, kept in KEPT.items():
        old |= Q(webhook__kind=kind, received_at__lt=clock.now() - kept)
    held = WebhookDelivery.objects.all()
    if actor.account_id is not None:
        held = held.filter(webhook__account_id=actor.account_id)
    rows = held.filter(old | _beyond(held))
    return remove_in_batches(rows, _remove, size=BATCH, dry_run=dry_run, progress=progress)


def _beyond(held: QuerySet[WebhookDelivery]) -> Q:
    beyond = Q(pk__in=())
    counted = held.order_by().values_list("webhook_id").annotate(many=Count("pk")).filter(many__gt=MOST)
    for webhook_id, _many in counted:
        newest = held.filter(webhook_id=webhook_id).order_by("-pk").values_list("pk", flat=True)
        for first in newest[MOST : MOST + 1]:
            beyond |= Q(webhook_id=webhook_id, pk__lte=first)
    return beyond


def forget_account(account_id: int) -> None:
    """Remove an account's deliveries before its row goes."""
    remove_in_batches(WebhookDelivery.objects.filter(webhook__account_id=account_id), _remove, size=BATCH)


def _remove(keys: list[int]) -> int:
    return remove_deliveries(WebhookDelivery.objects.filter(pk__in=keys))
