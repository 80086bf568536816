"""Sub-agents: who spawned what, and what became of it."""

from typing import Any, ClassVar

from django.db import models

from accounts.models import Account
from sessions_app.models.runs import Run
from sessions_app.models.sessions import Session
from sessions_app.querysets import SessionQuerySet


class Spawn(models.Model):
    """One child with the run that its end depends on: its first, the one it was steered into, or the one in which it heard of
    its own children. `told`: what the requester was told of its end: waiting, told, failed, silent (it ended it itself).

    `archive_at`: when the child leaves the list. A child whose `cleanup` is delete goes with its rows, this one among them.
    """

    WAITING, TOLD, FAILED, SILENT = "waiting", "told", "failed", "silent"
    KEEP, DELETE = "keep", "delete"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    requester = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="spawned")
    child = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="spawns")
    run = models.OneToOneField(Run, null=True, on_delete=models.SET_NULL, related_name="spawn")
    task = models.TextField()
    label = models.CharField(max_length=64, blank=True)
    cleanup = models.CharField(max_length=6, default=KEEP)
    told = models.CharField(max_length=7, default=WAITING)
    tell_attempts = models.PositiveSmallIntegerField(default=0)
    tell_after = models.DateTimeField(null=True, blank=True)
    steered_at = models.DateTimeField(null=True, blank=True)
    archive_at = models.DateTimeField(null=True, blank=True)
    archive_attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = SessionQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=["archive_at"], condition=~models.Q(archive_at=None), name="spawn_archive"),
            models.Index(fields=["id"], condition=models.Q(told="waiting"), name="spawn_waiting"),
        )

    def __str__(self) -> str:
        return f"spawn {self.pk}"
