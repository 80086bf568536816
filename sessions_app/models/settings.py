"""What an owner decides about sessions."""

from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, Connection
from sessions_app.querysets import OwnersQuerySet


class SessionSettings(models.Model):
    """One row an account. `send_policy` is `{"default": "allow"|"deny", "rules": [{"action", "match": {…}}]}`;
    lists of names are lists of text, in which `*` stands for any run of characters. `hub_connection`: by which the runs that
    the hub executes come back to it."""

    VISIBILITY = (("self", _("itself")), ("tree", _("itself and what it spawned")), ("agent", _("its agent")), ("all", _("all")))
    SANDBOX = (("spawned", _("what it spawned")), ("all", _("as visibility says")))
    SCOPE = (("per-sender", _("one main session an agent")), ("global", _("one for all")))

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="session_settings")
    default_agent = models.CharField(max_length=64, default="main")
    scope = models.CharField(max_length=10, choices=SCOPE, default="per-sender")
    visibility = models.CharField(max_length=5, choices=VISIBILITY, default="all")
    sandbox_visibility = models.CharField(max_length=7, choices=SANDBOX, default="spawned")
    agent_to_agent = models.BooleanField(default=True)
    agent_to_agent_allow = models.JSONField(default=list, blank=True, help_text=_("Names of agents; empty: every agent."))
    send_policy = models.JSONField(default=dict, blank=True)
    turns = models.PositiveSmallIntegerField(default=5, help_text=_("Turns of a reply loop, 0 to 5."))
    chain_budget = models.PositiveIntegerField(default=20, help_text=_("Runs that one chain may start before you are asked."))
    offer_minutes = models.PositiveIntegerField(default=60, help_text=_("How long a run waits for its agent to take it."))
    subagent_depth = models.PositiveSmallIntegerField(default=1)
    subagent_children = models.PositiveSmallIntegerField(default=5)
    subagent_concurrent = models.PositiveSmallIntegerField(default=8)
    subagent_timeout_seconds = models.PositiveIntegerField(default=0, help_text=_("0: no limit."))
    subagent_archive_minutes = models.PositiveIntegerField(default=60, help_text=_("0: never."))
    subagent_model = models.CharField(max_length=128, blank=True)
    subagent_tools_allow = models.JSONField(default=list, blank=True)
    subagent_tools_deny = models.JSONField(default=list, blank=True)
    default_model = models.CharField(max_length=128, blank=True)
    hub_connection = models.ForeignKey(
        Connection, null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "session settings"
        constraints = (models.CheckConstraint(condition=models.Q(turns__lte=5), name="session_turns_at_most_five"),)

    def __str__(self) -> str:
        return f"session settings of account {self.pk}"
