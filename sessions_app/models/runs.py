"""Runs: one execution in a session, a row from the moment it was asked for."""

from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from sessions_app.models.exchanges import Chain, Exchange
from sessions_app.models.sessions import Session
from sessions_app.querysets import OwnersQuerySet, SessionQuerySet


class Run(models.Model):
    """`state` goes queued → leased (a worker or an agent took it) → running → one of the ends; a lease that runs out leads to
    one more attempt or an end with its reason. `lease` is the claim in force: whoever ends the run shows it.

    `held` keeps a queued run from being claimed: `budget` or `approval`, until the owner decides. `purpose` says why it was
    asked for; `requester` who asked. `credential` is the SHA-256 of the token by which the run's agent acts as its session,
    `cost` in micro-dollars, `timeout_seconds` 0 without a limit.
    """

    QUEUED, LEASED, RUNNING = "queued", "leased", "running"
    OK, ERROR, TIMED_OUT, STOPPED = "ok", "error", "timed_out", "stopped"
    STATES = (
        (QUEUED, _("queued")),
        (LEASED, _("leased")),
        (RUNNING, _("running")),
        (OK, _("ok")),
        (ERROR, _("error")),
        (TIMED_OUT, _("timed out")),
        (STOPPED, _("stopped")),
    )
    ACTIVE = (QUEUED, LEASED, RUNNING)
    TAKEN = (LEASED, RUNNING)
    ENDED = (OK, ERROR, TIMED_OUT, STOPPED)
    SEND, REPLY, ANNOUNCE, SPAWN, RESULT, LATE, SCHEDULE, OWNER, TRIAL, FIRING = (
        "send",
        "reply",
        "announce",
        "spawn",
        "result",
        "late",
        "schedule",
        "owner",
        "trial",
        "firing",
    )

    run_id = models.CharField(max_length=36, unique=True)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="runs", db_index=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="runs", db_index=False)
    requester = models.ForeignKey(Session, null=True, blank=True, on_delete=models.SET_NULL, related_name="asked")
    exchange = models.ForeignKey(Exchange, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs")
    chain = models.ForeignKey(Chain, on_delete=models.CASCADE, related_name="runs")
    purpose = models.CharField(max_length=8)
    runner = models.CharField(max_length=16)
    lane = models.CharField(max_length=8, default="main")
    state = models.CharField(max_length=9, choices=STATES, default=QUEUED)
    held = models.CharField(max_length=8, blank=True)
    message = models.TextField()
    context = models.TextField(blank=True, help_text=_("What its agent is told beside the message."))
    provenance = models.JSONField(default=dict)
    deliver = models.BooleanField(default=False)
    model = models.CharField(max_length=128, blank=True)
    timeout_seconds = models.PositiveIntegerField(default=0)
    tools = models.JSONField(null=True, blank=True, help_text=_("Its own whitelist of tools; none: its agent's."))
    attempts = models.PositiveSmallIntegerField(default=0)
    lease = models.CharField(max_length=36, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=64, blank=True)
    stop_asked_at = models.DateTimeField(null=True, blank=True)
    credential = models.CharField(max_length=64, null=True, blank=True, unique=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text=_("When a run that nobody took is given up."))
    offered_at = models.DateTimeField(null=True, blank=True)
    reply = models.TextField(blank=True)
    error = models.CharField(max_length=500, blank=True)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cost = models.BigIntegerField(null=True, blank=True)
    progress = models.JSONField(null=True, blank=True, help_text=_("What a runner needs to go on after a decision."))
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = SessionQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=["session"], condition=models.Q(state__in=("leased", "running")), name="run_one_at_a_time"
            ),
        )
        indexes = (
            models.Index(fields=["account", "-id"], name="run_account_newest"),
            models.Index(fields=["session", "-id"], name="run_session_newest"),
            models.Index(fields=["id"], condition=models.Q(state="queued"), name="run_queued"),
            models.Index(fields=["lease_until"], condition=models.Q(state__in=("leased", "running")), name="run_taken"),
        )

    def __str__(self) -> str:
        return self.run_id

    @property
    def is_active(self) -> bool:
        """Whether it has not ended."""
        return self.state in self.ACTIVE


class ToolApproval(models.Model):
    """A tool outside a run's whitelist that its model asked for; the owner answers, and the run goes on."""

    ASKED, ALLOWED, DENIED = "asked", "allowed", "denied"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="approvals")
    call_id = models.CharField(max_length=128)
    tool = models.CharField(max_length=128)
    arguments = models.JSONField(default=dict)
    state = models.CharField(max_length=7, default=ASKED)
    asked_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["run", "call_id"], name="approval_once_a_call"),)

    def __str__(self) -> str:
        return f"{self.tool} ({self.state})"
