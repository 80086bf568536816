"""What an owner decides about his push inbox, and the counters of its numbers."""

from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from triggers.querysets import SettingsQuerySet


class TriggerSettings(models.Model):
    """One row an account: the lock under which push messages and firings get their numbers.

    `last_seq` and `last_firing` are the highest numbers ever given, `stored` counts the messages kept, `trail_bytes` is
    the size of them all, `unread` counts those that wait for attention: so no list counts rows.
    `rules_version` is raised with every change of the rules, so that a process knows when its compiled set is old.
    `agent` is whose runs confirmed and auto firings are (empty: the account's default agent), `auto_runs` how many of them go
    on at once. While `paused_at` is set nothing fires, and what is queued is held.
    """

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="trigger_settings")
    last_seq = models.BigIntegerField(default=0, editable=False)
    last_firing = models.BigIntegerField(default=0, editable=False)
    trail_bytes = models.BigIntegerField(default=0, editable=False)
    stored = models.BigIntegerField(default=0, editable=False)
    unread = models.BigIntegerField(default=0, editable=False)
    rules_version = models.PositiveIntegerField(default=0, editable=False)
    acked_at = models.DateTimeField(null=True, blank=True, editable=False)
    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    agent = models.CharField(max_length=64, blank=True)
    auto_runs = models.PositiveSmallIntegerField(default=4, help_text=_("Runs of firings that go on at once."))
    in_prompts = models.BooleanField(default=True, help_text=_("Show agents the newest push messages with their prompts."))

    objects: ClassVar[Any] = SettingsQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "trigger settings"

    def __str__(self) -> str:
        return f"trigger settings of account {self.pk}"
