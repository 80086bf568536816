"""The account chat: settings, the counter that numbers, and the messages."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, Connection
from accounts.querysets import OwnedQuerySet
from chat.querysets import MessageQuerySet, TicketQuerySet


class ChatSettings(models.Model):
    """What the owner decided about the chat; one row an account."""

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="chat_settings")
    allowed = models.BooleanField(_("allow agent chat"), default=True)
    retention_days = models.PositiveIntegerField(
        _("days kept"), null=True, blank=True, help_text=_("Empty: as long as the server keeps them, which is also the most.")
    )
    keep_thread_openers = models.BooleanField(
        default=False, help_text=_("A message that opened a thread stays while it has newer replies.")
    )

    objects: ClassVar[Any] = OwnedQuerySet.as_manager()

    class Meta:
        verbose_name = verbose_name_plural = _("chat settings")
        constraints = (
            models.CheckConstraint(condition=Q(retention_days=None) | Q(retention_days__gte=1), name="chat_keeps_a_day"),
        )

    def __str__(self) -> str:
        return gettext("chat settings of %(account)s") % {"account": self.account}


class Counter(models.Model):
    """The account's last number and stored bytes; its row is locked by whoever posts, so numbers are commit order."""

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="chat_counter")
    last_seq = models.BigIntegerField(default=0)
    stored_bytes = models.BigIntegerField(default=0)

    class Meta:
        constraints = (models.CheckConstraint(condition=Q(last_seq__gte=0), name="chat_counter_from_zero"),)

    def __str__(self) -> str:
        return f"#{self.last_seq}"


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


class Ticket(models.Model):
    """What a hook of one session may ask how much is unread with; the token itself is kept by whoever asked for it."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="tickets")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="tickets")
    session_name = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=8)
    read_seq = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = TicketQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(condition=Q(read_seq__gte=0), name="ticket_reads_from_zero"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="ticket_ends_later"),
        )
        indexes = (
            models.Index(fields=["connection", "session_name"], name="ticket_session"),
            models.Index(fields=["expires_at"], name="ticket_end"),
        )

    def __str__(self) -> str:
        return gettext("ticket %(prefix)s… of %(name)s") % {"prefix": self.prefix, "name": self.session_name}
