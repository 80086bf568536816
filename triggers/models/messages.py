"""What push servers pushed."""

from typing import Any, ClassVar

from django.db import models

from accounts.models import Account
from sessions_app.models import Chain
from triggers.querysets import MessageQuerySet


class PushMessage(models.Model):
    """One push message; its number comes from the account's counter. `server` is a name: the message outlives the server.

    `handled`: protocol news, never unread, fires nothing. `unread` is attention, `cleared` took it off the live list,
    `imported` came by a journal. `size` in bytes, as it counts against the trail's cap. `chain`: what run it is an echo of.
    """

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="push_messages", db_index=False)
    seq = models.BigIntegerField()
    server = models.CharField(max_length=64)
    channel = models.CharField(max_length=200)
    method = models.CharField(max_length=200, blank=True)
    content = models.TextField(blank=True)
    size = models.PositiveIntegerField(default=0)
    handled = models.BooleanField(default=False)
    unread = models.BooleanField(default=True)
    cleared = models.BooleanField(default=False)
    imported = models.BooleanField(default=False)
    chain = models.ForeignKey(Chain, null=True, blank=True, db_index=False, on_delete=models.SET_NULL, related_name="+")
    received_at = models.DateTimeField()

    objects: ClassVar[Any] = MessageQuerySet.as_manager()

    class Meta:
        ordering = ("account", "seq")
        constraints = (models.UniqueConstraint(fields=["account", "seq"], name="push_message_seq_once"),)
        indexes = (
            models.Index(fields=["account", "-seq"], condition=models.Q(cleared=False), name="push_message_live"),
            models.Index(fields=["account", "-seq"], condition=models.Q(unread=True), name="push_message_unread"),
            models.Index(fields=["account", "received_at"], name="push_message_when"),
            models.Index(fields=["chain"], condition=models.Q(chain__isnull=False), name="push_message_echo"),
        )

    def __str__(self) -> str:
        return f"{self.server} {self.seq}"
