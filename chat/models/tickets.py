"""Tickets of hooks."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext

from accounts.models import Account, Connection
from chat.querysets import TicketQuerySet


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
