"""Webhooks that other services call, and what they delivered."""

from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from triggers.querysets import OwnersQuerySet


class Webhook(models.Model):
    """A door for one service: what it posts becomes a push message of a server called `name`.

    `digest` is the SHA-256 of the token in its address, `prefix` the token's beginning for lists, `secret_encrypted` what
    signatures are checked with. `channel` empty: GitHub's event, or `webhook`.
    """

    GITHUB, GENERIC = "github", "generic"
    KINDS = ((GITHUB, "GitHub"), (GENERIC, _("generic")))

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="webhooks")
    name = models.CharField(max_length=64)
    kind = models.CharField(max_length=7, choices=KINDS, default=GENERIC)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    prefix = models.CharField(max_length=12, editable=False)
    secret_encrypted = models.BinaryField(editable=False)
    channel = models.CharField(max_length=200, blank=True)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(editable=False)
    used_at = models.DateTimeField(null=True, blank=True, editable=False)
    refused_at = models.DateTimeField(null=True, blank=True, editable=False)
    refused_why = models.CharField(max_length=100, blank=True, editable=False)

    objects: ClassVar[Any] = OwnersQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["account", "name"], name="webhook_name_once"),)

    def __str__(self) -> str:
        return self.name


class WebhookDelivery(models.Model):
    """A delivery that was taken, by the digest of what makes it one of a kind: the same again is refused."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    digest = models.CharField(max_length=64)
    received_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["webhook", "digest"], name="webhook_delivery_once"),)

    def __str__(self) -> str:
        return self.digest[:8]
