"""What the owner decided about the chat, the counter that numbers, and the topics he opened."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from accounts.querysets import OwnedQuerySet


class ChatSettings(models.Model):
    """What the owner decided about the chat; one row an account."""

    EVERY, GRANTED = "every", "granted"
    ACCESS = ((EVERY, _("every connection")), (GRANTED, _("granted launches only")))

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="chat_settings")
    allowed = models.BooleanField(_("allow agent chat"), default=True)
    retention_days = models.PositiveIntegerField(
        _("days kept"), null=True, blank=True, help_text=_("Empty: as long as the server keeps them, which is also the most.")
    )
    access = models.CharField(
        _("who chats"), max_length=8, choices=ACCESS, default=EVERY, help_text=_("Which of your agents see the chat at all.")
    )
    only_owner_opens_topics = models.BooleanField(
        default=False, help_text=_("Agents post only in topics that you created, and in general.")
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


class Topic(models.Model):
    """A topic that the owner created or archived; others are whatever messages name, and have no row."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="chat_topics", db_index=False)
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = OwnedQuerySet.as_manager()

    class Meta:
        ordering = ("account_id", "name")
        constraints = (models.UniqueConstraint(fields=["account", "name"], name="topic_once"),)

    def __str__(self) -> str:
        return self.name
