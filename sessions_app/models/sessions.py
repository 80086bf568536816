"""Sessions and their transcripts."""

from typing import Any, ClassVar

from django.db import models

from accounts.models import Account, Connection, Launch
from sessions_app.querysets import SessionQuerySet


class Session(models.Model):
    """One addressable conversation of an agent.

    `key` is its name in lower case, unique among the account's living ones; `session_id` names the transcript in force.
    `last_seq` counts its entries and is raised in the transaction that inserts one. `send_policy` overrides the account's:
    `allow`, `deny` or nothing. `spawned_by` is the key of the session that spawned it. What a group, a direct chat or a node
    is called and where it is answered stands in the fields of channel and route.
    """

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="sessions", db_index=False)
    key = models.CharField(max_length=256)
    session_id = models.UUIDField()
    agent = models.CharField(max_length=64)
    kind = models.CharField(max_length=5)
    label = models.CharField(max_length=64, blank=True)
    display_name = models.CharField(max_length=128, blank=True)
    channel = models.CharField(max_length=32, blank=True)
    chat_type = models.CharField(max_length=16, blank=True)
    last_channel = models.CharField(max_length=32, blank=True)
    last_to = models.CharField(max_length=256, blank=True)
    last_account_id = models.CharField(max_length=64, blank=True)
    last_thread_id = models.CharField(max_length=64, blank=True)
    connection = models.ForeignKey(Connection, null=True, blank=True, on_delete=models.CASCADE, related_name="sessions")
    launch = models.ForeignKey(Launch, null=True, blank=True, on_delete=models.CASCADE, related_name="sessions")
    spawned_by = models.CharField(max_length=256, blank=True)
    spawn_depth = models.PositiveSmallIntegerField(default=0)
    sandboxed = models.BooleanField(default=False)
    model = models.CharField(max_length=128, blank=True)
    model_override = models.CharField(max_length=128, blank=True)
    thinking_level = models.CharField(max_length=16, blank=True)
    verbose_level = models.CharField(max_length=16, blank=True)
    send_policy = models.CharField(max_length=5, blank=True)
    system_sent = models.BooleanField(default=False)
    aborted_last_run = models.BooleanField(default=False)
    context_tokens = models.BigIntegerField(null=True, blank=True)
    total_tokens = models.BigIntegerField(default=0)
    last_seq = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[Any] = SessionQuerySet.as_manager()

    class Meta:
        ordering = ("-updated_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=["account", "key"], condition=models.Q(archived_at=None), name="session_key_once"),
            models.UniqueConstraint(
                fields=["account", "label"], condition=models.Q(archived_at=None) & ~models.Q(label=""), name="session_label_once"
            ),
        )
        indexes = (
            models.Index(fields=["account", "-updated_at", "-id"], name="session_account_newest"),
            models.Index(fields=["account", "session_id"], name="session_by_id"),
            models.Index(fields=["account", "spawned_by"], condition=~models.Q(spawned_by=""), name="session_children"),
        )

    def __str__(self) -> str:
        return self.key


class Entry(models.Model):
    """One line of a transcript: `message` is `{"role": …, "content": text or [blocks], …}` as the runner told it.

    `seq` counts within the session, whichever transcript (`session_id`) it belongs to. `provenance` says who put it there.
    """

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="entries", db_index=False)
    session_id_kept = models.UUIDField()
    seq = models.BigIntegerField()
    role = models.CharField(max_length=16)
    message = models.JSONField()
    run = models.ForeignKey("sessions_app.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="entries")
    provenance = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField()

    objects: ClassVar[Any] = SessionQuerySet.as_manager()

    class Meta:
        ordering = ("session", "seq")
        constraints = (models.UniqueConstraint(fields=["session", "seq"], name="entry_seq_once"),)
        indexes = (
            models.Index(fields=["session", "session_id_kept", "-seq"], name="entry_transcript"),
            models.Index(
                fields=["session", "session_id_kept", "-seq"], condition=models.Q(role="system"), name="entry_of_the_system"
            ),
        )

    def __str__(self) -> str:
        return f"{self.role} {self.seq}"
