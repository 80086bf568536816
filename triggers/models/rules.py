"""Rules: what is to happen when a push message matches."""

from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from triggers.querysets import OwnersQuerySet


class Rule(models.Model):
    """One rule, in the order of its `position`. An empty server, channel or `content_regex` matches all; durations are kept as
    they were written (`1h30m`)."""

    NOTIFY, CONFIRM, AUTO = "notify", "confirm", "auto"
    MODES = ((NOTIFY, _("notify")), (CONFIRM, _("ask me")), (AUTO, _("run at once")))

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="push_rules")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=64)
    enabled = models.BooleanField(default=True)
    server = models.CharField(max_length=64, blank=True)
    channel = models.CharField(max_length=200, blank=True)
    content_regex = models.CharField(max_length=1000, blank=True)
    mode = models.CharField(max_length=7, choices=MODES, default=NOTIFY)
    prompt = models.TextField(blank=True)
    tools = models.JSONField(default=list, blank=True)
    rate_limit = models.CharField(max_length=32, blank=True)
    dedup_window = models.CharField(max_length=32, blank=True)
    created_at = models.DateTimeField()

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("account", "position", "id")
        constraints = (models.UniqueConstraint(fields=["account", "name"], name="rule_name_once"),)

    def __str__(self) -> str:
        return self.name
