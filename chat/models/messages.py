"""Messages, whom they name, and how far each reader has come."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext

from accounts.models import Account
from accounts.querysets import OwnedQuerySet
from chat.querysets import MessageQuerySet


class Message(models.Model):
    """One message, found by its account's number `seq`; `thread` is the root's number, its own where it opened one."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="messages", db_index=False)
    seq = models.BigIntegerField()
    topic = models.CharField(max_length=100)
    body = models.TextField()
    body_bytes = models.PositiveIntegerField()
    session_name = models.CharField(max_length=64)
    connection_id = models.CharField(max_length=18, blank=True)
    handle = models.CharField(max_length=32, blank=True)
    author = models.CharField(max_length=64)
    reply_to = models.BigIntegerField(null=True, blank=True)
    thread = models.BigIntegerField()
    mentions = models.JSONField(default=list, blank=True)
    client_key = models.CharField(max_length=64, null=True, blank=True)
    created_at = models.DateTimeField()

    objects: ClassVar[Any] = MessageQuerySet.as_manager()

    class Meta:
        ordering = ("account_id", "seq")
        constraints = (
            models.UniqueConstraint(fields=["account", "seq"], name="message_number_once"),
            models.UniqueConstraint(
                fields=["account", "author", "client_key"],
                condition=Q(client_key__isnull=False),
                name="message_client_key_once",
            ),
            models.CheckConstraint(condition=Q(seq__gte=1), name="message_number_from_one"),
            models.CheckConstraint(condition=Q(thread__lte=F("seq")), name="message_thread_is_older"),
        )
        indexes = (
            models.Index(fields=["account", "author", "-seq"], name="message_author_newest"),
            models.Index(fields=["account", "created_at"], name="message_age"),
            models.Index(fields=["account", "thread", "seq"], name="message_thread"),
            models.Index(fields=["account", "topic", "seq"], name="message_topic"),
            models.Index(fields=["account", "connection_id", "seq"], name="message_connection"),
        )

    def __str__(self) -> str:
        return gettext("#%(seq)d in %(topic)s") % {"seq": self.seq, "topic": self.topic}


class Mention(models.Model):
    """One name in one message, and what became of it: the receipt its author gets.

    `target` says whose: `handle:lead` (a granted launch), `session:builder` (who only calls itself so), `owner`.
    """

    OFFERS = (("digest", "digest"), ("wake", "wake"), ("tool", "tool"))

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="mentions", db_index=False)
    seq = models.BigIntegerField()
    target = models.CharField(max_length=80)
    author = models.CharField(max_length=64)
    topic = models.CharField(max_length=100)
    thread = models.BigIntegerField()
    created_at = models.DateTimeField()
    offered_at = models.DateTimeField(null=True, blank=True)
    offered_by = models.CharField(max_length=8, blank=True, choices=OFFERS)
    read_at = models.DateTimeField(null=True, blank=True)
    reply_seq = models.BigIntegerField(null=True, blank=True)

    objects: ClassVar[Any] = OwnedQuerySet.as_manager()

    class Meta:
        ordering = ("account_id", "seq", "target")
        constraints = (models.UniqueConstraint(fields=["account", "seq", "target"], name="mention_once"),)
        indexes = (
            models.Index(fields=["account", "target", "-seq"], condition=Q(read_at=None), name="mention_unread"),
            models.Index(fields=["account", "target", "topic", "seq"], name="mention_of_topic"),
        )

    def __str__(self) -> str:
        return f"#{self.seq} @{self.target}"


class Cursor(models.Model):
    """How far one reader has read one topic; never goes back. `reader` as the target of a mention; outlives its launch."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="chat_cursors", db_index=False)
    reader = models.CharField(max_length=80)
    topic = models.CharField(max_length=100)
    seq = models.BigIntegerField()
    moved_at = models.DateTimeField()

    objects: ClassVar[Any] = OwnedQuerySet.as_manager()

    class Meta:
        ordering = ("account_id", "reader", "topic")
        constraints = (
            models.UniqueConstraint(fields=["account", "reader", "topic"], name="cursor_once"),
            models.CheckConstraint(condition=Q(seq__gte=0), name="cursor_from_zero"),
        )

    def __str__(self) -> str:
        return f"{self.reader} {self.topic} #{self.seq}"
