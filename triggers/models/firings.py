"""Firings of rules, and what rules remember between them."""

from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import Account
from sessions_app.models import Chain, Run
from triggers.querysets import OwnersQuerySet


class Firing(models.Model):
    """One time a rule fired, or the owner ran a message by hand (`rule` is `manual` then, `by_hand` true).

    `number` counts within the account; a dropped one has its own. Everything of rule and message that it needs is copied into
    it. `state`: queued → shown (notify), or asked (confirm) → queued again as `accepted` → running → done, failed, stopped;
    asked → declined, expired; dropped (the queue was full). `unacked`: counts for the banner until the owner acknowledges.
    """

    QUEUED, SHOWN, ASKED, RUNNING = "queued", "shown", "asked", "running"
    DONE, FAILED, STOPPED, DECLINED, EXPIRED, DROPPED = "done", "failed", "stopped", "declined", "expired", "dropped"
    STATES = (
        (QUEUED, _("queued")),
        (SHOWN, _("shown")),
        (ASKED, _("waits for you")),
        (RUNNING, _("running")),
        (DONE, pgettext_lazy("firing", "done")),
        (FAILED, _("failed")),
        (STOPPED, pgettext_lazy("firing", "stopped")),
        (DECLINED, _("declined")),
        (EXPIRED, _("expired")),
        (DROPPED, _("dropped, the queue was full")),
    )
    OPEN = (QUEUED, ASKED, RUNNING)

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="firings", db_index=False)
    number = models.BigIntegerField()
    rule = models.CharField(max_length=64)
    mode = models.CharField(max_length=7)
    by_hand = models.BooleanField(default=False)
    server = models.CharField(max_length=64)
    channel = models.CharField(max_length=200)
    seq = models.BigIntegerField()
    content = models.TextField(blank=True)
    prompt = models.TextField(blank=True)
    tools = models.JSONField(default=list, blank=True)
    state = models.CharField(max_length=8, choices=STATES, default=QUEUED)
    detail = models.CharField(max_length=300, blank=True)
    accepted = models.BooleanField(default=False)
    unacked = models.BooleanField(default=True)
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="firings")
    session_key = models.CharField(max_length=256, blank=True)
    chain = models.ForeignKey(Chain, null=True, blank=True, on_delete=models.SET_NULL, related_name="firings")
    fired_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=["account", "number"], name="firing_number_once"),)
        indexes = (
            models.Index(fields=["account", "number"], condition=models.Q(state="queued"), name="firing_queued"),
            models.Index(fields=["account", "number"], condition=models.Q(state="asked"), name="firing_asked"),
            models.Index(fields=["account", "number"], condition=models.Q(state="running"), name="firing_running"),
            models.Index(fields=["account", "number"], condition=models.Q(unacked=True), name="firing_unacked"),
            models.Index(fields=["account", "fired_at"], name="firing_when"),
        )

    def __str__(self) -> str:
        return f"{self.rule} {self.number}"


class RuleState(models.Model):
    """What a rule of this name did so far; it outlives a reload of the rules. `fired_at`: from when its rate limit counts."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    rule = models.CharField(max_length=64)
    fired_at = models.DateTimeField(null=True, blank=True)
    fired = models.BigIntegerField(default=0)
    by_rate = models.BigIntegerField(default=0)
    by_dedup = models.BigIntegerField(default=0)
    by_loop = models.BigIntegerField(default=0)
    dropped = models.BigIntegerField(default=0)
    errors = models.BigIntegerField(default=0)
    last_error = models.CharField(max_length=300, blank=True)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["account", "rule"], name="rule_state_once"),)

    def __str__(self) -> str:
        return self.rule


class DedupSeen(models.Model):
    """When a rule last fired on this content: `digest` is the SHA-256 of the first 256 bytes, in hexadecimal."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    rule = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    fired_at = models.DateTimeField(db_index=True)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["account", "rule", "digest"], name="dedup_once"),)

    def __str__(self) -> str:
        return f"{self.rule} {self.digest[:8]}"
