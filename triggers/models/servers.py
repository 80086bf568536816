"""MCP servers that the hub listens to, and who listens."""

from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from sessions_app.models import Chain, Run
from triggers.querysets import OwnersQuerySet


class PushServer(models.Model):
    """One MCP server of the account. `url` for SSE and Streamable HTTP, `argv` for stdio.

    `channels` is its allow-list (empty or `*`: all). `headers_encrypted` and `environment_encrypted` are sealed JSON objects,
    `sign_in_encrypted` the sealed client and tokens where its owner signed the hub in, `challenge` what the server said
    (`WWW-Authenticate`) when it last refused the hub. `version` is raised with every change
    a listener must heed. `lease` is the claim of the listener in `listener`, in force until `lease_until`; what is stored
    of a delivery moves `last_event_id` in the same transaction, and with `session_id` and `protocol` the next listener goes on
    there. `tools` is what `tools/list` answered last; its owner wants it fetched anew where `refresh_asked_at` is past
    `tools_at`.
    """

    SSE, HTTP, STDIO = "sse", "http", "stdio"
    TRANSPORTS = ((SSE, "SSE"), (HTTP, "Streamable HTTP"), (STDIO, "stdio"))
    OFF, WAITING, CONNECTING, LISTENING, SILENT, SIGN_IN, FAILED, DISCONNECTED = (
        "off",
        "waiting",
        "connecting",
        "listening",
        "silent",
        "sign_in",
        "failed",
        "disconnected",
    )
    STATES = (
        (OFF, _("off")),
        (WAITING, _("waits for a listener")),
        (CONNECTING, _("connecting")),
        (LISTENING, _("listening")),
        (SILENT, _("does not push")),
        (SIGN_IN, _("wants you to sign in")),
        (FAILED, _("failed, tries again")),
        (DISCONNECTED, _("disconnected")),
    )

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="push_servers")
    name = models.CharField(max_length=64)
    transport = models.CharField(max_length=5, choices=TRANSPORTS, default=HTTP)
    url = models.CharField(max_length=1000, blank=True)
    argv = models.JSONField(default=list, blank=True)
    headers_encrypted = models.BinaryField(null=True, blank=True, editable=False)
    environment_encrypted = models.BinaryField(null=True, blank=True, editable=False)
    sign_in_encrypted = models.BinaryField(null=True, blank=True, editable=False)
    challenge = models.CharField(max_length=1000, blank=True, editable=False)
    enabled = models.BooleanField(default=True)
    channels = models.JSONField(default=list, blank=True)
    refresh_tools = models.BooleanField(default=True)
    tools = models.JSONField(default=list, blank=True, editable=False)
    tools_at = models.DateTimeField(null=True, blank=True, editable=False)
    refresh_asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    state = models.CharField(max_length=12, choices=STATES, default=WAITING, editable=False)
    reason = models.CharField(max_length=300, blank=True, editable=False)
    state_at = models.DateTimeField(null=True, blank=True, editable=False)
    connected_at = models.DateTimeField(null=True, blank=True, editable=False)
    listener = models.CharField(max_length=64, blank=True, editable=False)
    lease = models.CharField(max_length=36, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    session_id = models.CharField(max_length=500, blank=True, editable=False)
    protocol = models.CharField(max_length=16, blank=True, editable=False)
    last_event_id = models.CharField(max_length=500, blank=True, editable=False)
    received = models.BigIntegerField(default=0, editable=False)
    shed = models.BigIntegerField(default=0, editable=False)
    last_message_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(editable=False)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["account", "name"], name="push_server_name_once"),)
        indexes = (models.Index(fields=["lease_until"], condition=models.Q(enabled=True), name="push_server_due"),)

    def __str__(self) -> str:
        return self.name


class Listener(models.Model):
    """A process that listens, by its heartbeat: so that several share the servers evenly."""

    name = models.CharField(max_length=64, primary_key=True)
    beat_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class ToolCall(models.Model):
    """A run called a tool of a push server: what that server pushes meanwhile and soon after belongs to the run's chain."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    server = models.ForeignKey(PushServer, on_delete=models.CASCADE, related_name="calls")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    chain = models.ForeignKey(Chain, on_delete=models.CASCADE, related_name="+")
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = (models.Index(fields=["server", "-id"], name="tool_call_newest"),)

    def __str__(self) -> str:
        return f"call {self.pk}"
