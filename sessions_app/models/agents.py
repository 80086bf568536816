"""Agents that the hub can run, and where their models answer."""

from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from sessions_app.querysets import OwnersQuerySet


class ModelProvider(models.Model):
    """An OpenAI-compatible address with its key, encrypted; `model_names` are those that may be asked for there."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="model_providers")
    name = models.CharField(max_length=64)
    base_url = models.CharField(max_length=500)
    key_encrypted = models.BinaryField(null=True, blank=True, editable=False)
    model_names = models.JSONField(default=list)
    created_at = models.DateTimeField()

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("name", "id")
        constraints = (models.UniqueConstraint(fields=["account", "name"], name="provider_name_once"),)

    def __str__(self) -> str:
        return self.name


class Agent(models.Model):
    """Who runs in sessions `agent:<slug>:…`, and by which runner.

    `argv` is the command runner's template, `environment` the names it may inherit, `tools` the whitelist of a run (names or
    `prefix*`), `allow_agents` under whom it may spawn (empty: only itself; `*`: everyone).
    """

    CONNECTED, COMMAND, MODEL = "connected", "command", "model"
    RUNNERS = ((CONNECTED, _("connected")), (COMMAND, _("command")), (MODEL, _("model")))

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="agents")
    slug = models.CharField(max_length=64)
    name = models.CharField(max_length=64, blank=True)
    runner = models.CharField(max_length=16, choices=RUNNERS, default=CONNECTED)
    enabled = models.BooleanField(default=True)
    sandboxed = models.BooleanField(default=False)
    instructions = models.TextField(blank=True)
    provider = models.ForeignKey(ModelProvider, null=True, blank=True, on_delete=models.RESTRICT, related_name="agents")
    model = models.CharField(max_length=128, blank=True)
    subagent_model = models.CharField(max_length=128, blank=True)
    model_names = models.JSONField(default=list, blank=True, help_text=_("Models that a command may be asked for."))
    preset = models.CharField(max_length=16, blank=True)
    argv = models.JSONField(default=list, blank=True)
    environment = models.JSONField(default=list, blank=True)
    working_directory = models.CharField(max_length=500, blank=True)
    timeout_seconds = models.PositiveIntegerField(default=600)
    output_bytes = models.PositiveIntegerField(default=262_144)
    tools = models.JSONField(default=list, blank=True)
    allow_agents = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField()

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("slug",)
        constraints = (models.UniqueConstraint(fields=["account", "slug"], name="agent_slug_once"),)

    def __str__(self) -> str:
        return self.slug
