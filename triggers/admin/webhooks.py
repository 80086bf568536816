"""Webhooks and what they took, to look at; address and signing key are no columns."""

from typing import cast

from django.contrib import admin
from django.db.models import QuerySet

from core.actor import Actor
from core.admin import OwnedAdmin
from triggers.models import Webhook, WebhookDelivery


@admin.register(Webhook)
class WebhookAdmin(OwnedAdmin[Webhook]):
    """Webhooks, read-only; of the address only its beginning is shown."""

    list_display = ("name", "account", "kind", "prefix", "channel", "enabled", "used_at", "refused_at", "refused_why")
    list_filter = ("kind", "enabled")
    list_select_related = ("account__owner",)
    search_fields = ("name", "account__owner__email")
    ordering = ("account_id", "name")
    fields = ("name", "account", "kind", "prefix", "channel", "enabled", "created_at", "used_at", "refused_at", "refused_why")
    readonly_fields = ("prefix", "created_at", "used_at", "refused_at", "refused_why")
    actions = None

    def audit_target(self, obj: Webhook) -> str:
        """By its name, as its actions record it."""
        return f"webhook:{obj.name}"


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(OwnedAdmin[WebhookDelivery]):
    """Deliveries that were taken, read-only: that each is taken once."""

    list_display = ("webhook", "digest", "received_at")
    list_select_related = ("webhook",)
    search_fields = ("webhook__name",)
    ordering = ("-id",)
    fields = ("webhook", "digest", "received_at")
    staff_columns = ()
    actions = None
    has_history = False

    def rows(self, actor: Actor) -> QuerySet[WebhookDelivery]:
        """Those of the webhooks that the actor sees."""
        return WebhookDelivery.objects.filter(webhook__in=cast("QuerySet[Webhook]", Webhook.objects.visible_to(actor)))
