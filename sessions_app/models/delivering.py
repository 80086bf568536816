"""Where announcements go, and what is on its way there."""

from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from sessions_app.models.runs import Run
from sessions_app.models.sessions import Session
from sessions_app.querysets import OwnersQuerySet


class Route(models.Model):
    """A messenger of the account by its apprise address, encrypted, in which `{to}` and `{thread}` stand for whom an
    announcement is for. `channel` and `to_account` are what a session's route names."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="routes")
    channel = models.CharField(max_length=32)
    to_account = models.CharField(max_length=64, blank=True)
    address_encrypted = models.BinaryField(editable=False)
    scheme = models.CharField(max_length=32, editable=False)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("channel", "to_account")
        constraints = (models.UniqueConstraint(fields=["account", "channel", "to_account"], name="route_once"),)

    def __str__(self) -> str:
        return self.channel


class Announcement(models.Model):
    """A text for a session's route, kept until it is sent. `state`: pending, sent, failed; one a `cause`, whatever is retried."""

    PENDING, SENT, FAILED = "pending", "sent", "failed"
    STATES = ((PENDING, _("pending")), (SENT, _("sent")), (FAILED, _("failed")))

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="announcements")
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="announcements")
    cause = models.CharField(max_length=64)
    channel = models.CharField(max_length=32)
    to = models.CharField(max_length=256, blank=True)
    to_account = models.CharField(max_length=64, blank=True)
    thread_id = models.CharField(max_length=64, blank=True)
    text = models.TextField()
    state = models.CharField(max_length=7, choices=STATES, default=PENDING)
    detail = models.CharField(max_length=200, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField()
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["account", "cause"], name="announcement_once"),)
        indexes = (models.Index(fields=["next_at"], condition=models.Q(state="pending"), name="announcement_due"),)

    def __str__(self) -> str:
        return self.cause
