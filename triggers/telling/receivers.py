"""When the hooks of launches begin to have something to hear."""

from typing import Any

from django.dispatch import receiver

from accounts.launches.news import launch_key
from accounts.models import Launch
from core import news
from triggers.models import PushMessage
from triggers.signals import Stored, messages_stored


@receiver(messages_stored, sender=PushMessage)
def ring_at_the_first(sender: type[PushMessage], account_id: int, messages: tuple[Stored, ...], **kwargs: Any) -> None:
    """The first message of an empty live list: each launcher of the account looks, and lets its hooks ask from now on."""
    if not messages or PushMessage.objects.filter(account_id=account_id, cleared=False, seq__lt=messages[0].seq).exists():
        return
    live = Launch.objects.filter(account_id=account_id, ended_at=None).values_list("pk", flat=True)
    news.publish_on_commit(*map(launch_key, live))
