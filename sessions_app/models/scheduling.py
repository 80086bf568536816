"""Prompts that the owner gives an agent by the clock."""

from typing import Any, ClassVar

from django.db import models

from accounts.models import Account
from sessions_app.querysets import OwnersQuerySet


class Schedule(models.Model):
    """A prompt, the agent it is for, and a crontab line in the time zone `zone`; runs go into `agent:<agent>:cron:<slug>`.

    `next_at` is when it is due, and firing claims it by moving it on: what beat sends twice, or late, fires once.
    `periodic_task` is the id of the row of django-celery-beat that its action keeps.
    """

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="schedules")
    slug = models.CharField(max_length=64)
    agent = models.CharField(max_length=64)
    prompt = models.TextField()
    crontab = models.CharField(max_length=100)
    zone = models.CharField(max_length=64, default="UTC")
    enabled = models.BooleanField(default=True)
    deliver = models.BooleanField(default=False)
    periodic_task = models.BigIntegerField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()
    next_at = models.DateTimeField(null=True, blank=True)
    last_run_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("slug",)
        constraints = (models.UniqueConstraint(fields=["account", "slug"], name="schedule_slug_once"),)
        indexes = (models.Index(fields=["next_at"], condition=~models.Q(next_at=None), name="schedule_due"),)

    def __str__(self) -> str:
        return self.slug
