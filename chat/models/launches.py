"""What the chat knows of launches: the owner's grants, what their hooks did, and the wakes decided."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, Launch
from accounts.querysets import OwnedQuerySet
from chat.querysets import GrantQuerySet


class Grant(models.Model):
    """The owner's leave for one launch to chat, under a handle that no other live grant of the account has.

    A launch has at most one live grant. What ended stays for a while, to be shown: `stale` ended by itself.
    """

    REVOKED, STALE = "revoked", "stale"
    ENDS = ((REVOKED, _("revoked")), (STALE, _("stale")))

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="grants")
    launch = models.ForeignKey(Launch, on_delete=models.CASCADE, related_name="grants")
    handle = models.CharField(max_length=32)
    wake = models.BooleanField(default=False)
    note = models.CharField(max_length=200, blank=True)
    granted_at = models.DateTimeField()
    granted_by = models.BigIntegerField()
    ended_at = models.DateTimeField(null=True, blank=True)
    end = models.CharField(max_length=8, blank=True, choices=ENDS)
    end_reason = models.CharField(max_length=100, blank=True)

    objects: ClassVar[Any] = GrantQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(fields=["account", "handle"], condition=Q(ended_at=None), name="grant_handle_once"),
            models.UniqueConstraint(fields=["launch"], condition=Q(ended_at=None), name="grant_of_launch_once"),
        )

    def __str__(self) -> str:
        return f"@{self.handle}"


class Attendance(models.Model):
    """What one launch's client and hooks did: when it listed its tools, whether it works, what it was told last.

    The only row of a launch, beside mentions' receipts, that the agent's door writes.
    """

    BUSY, DONE = "busy", "done"
    STATUSES = (("", _("unknown")), (BUSY, _("busy")), (DONE, _("done")))

    launch = models.OneToOneField(Launch, primary_key=True, on_delete=models.CASCADE, related_name="attendance")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="attendances")
    tools_listed_at = models.DateTimeField(null=True, blank=True)
    status = models.CharField(max_length=4, blank=True, choices=STATUSES)
    status_at = models.DateTimeField(null=True, blank=True)
    hook_at = models.DateTimeField(null=True, blank=True)
    told_seq = models.BigIntegerField(default=0)
    noticed_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = OwnedQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.launch_id} {self.status}"


class Wake(models.Model):
    """One decision whether a mention, or something else that waits for it (then without `seq`), wakes a launch.

    `pending`: its launcher is asked to type; then what it answered.

    The rows are the truth about how often a launch was woken; each decision is in the audit log too.
    """

    PENDING = "pending"
    OUTCOMES = tuple((each, each) for each in ("pending", "ok", "loop", "rate", "stale", "not-idle", "focused", "refused"))

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="wakes")
    launch = models.ForeignKey(Launch, on_delete=models.CASCADE, related_name="wakes", db_index=False)
    seq = models.BigIntegerField(null=True, blank=True)
    outcome = models.CharField(max_length=8, choices=OUTCOMES)
    detail = models.CharField(max_length=100, blank=True)
    decided_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = OwnedQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["launch", "seq"], name="wake_once"),)
        indexes = (models.Index(fields=["launch", "outcome", "-decided_at"], name="wake_newest"),)

    def __str__(self) -> str:
        return f"#{self.seq} {self.outcome}" if self.seq is not None else self.outcome
