"""The hints about push messages, firings and servers, and the net beneath them."""

from django.db.models import Count, Max, Sum

from core.news.net import Version

PUSH, SERVERS = "push", "push-servers"


def push_key(account_id: int) -> str:
    """Rings when the account's inbox, rules or firings look different."""
    return f"{PUSH}:{account_id}"


def servers_key(account_id: int) -> str:
    """Rings when a push server of the account was edited, or its state changed; listeners and pages hear it."""
    return f"{SERVERS}:{account_id}"


def server_versions(ids: list[str]) -> dict[str, Version]:
    """What changed last of each account's push servers and webhooks, in one query each."""
    from triggers.models import PushServer, Webhook

    asked = [int(each) for each in ids]
    servers = PushServer.objects.filter(account_id__in=asked).values("account_id")
    told = servers.annotate(
        count=Count("pk"), versions=Sum("version"), state=Max("state_at"), tools=Max("tools_at"), asked=Max("refresh_asked_at")
    )
    hooks = Webhook.objects.filter(account_id__in=asked).values("account_id")
    hooked = hooks.annotate(count=Count("pk"), used=Max("used_at"), refused=Max("refused_at"))
    found: dict[str, Version] = dict.fromkeys(ids, ())
    for row in (*told, *hooked):
        found[str(row["account_id"])] += tuple(row.values())
    return found


def push_versions(ids: list[str]) -> dict[str, Version]:
    """Numbers of each account's inbox, in one query."""
    from triggers.models import TriggerSettings

    rows = TriggerSettings.objects.filter(pk__in=[int(each) for each in ids])
    found = rows.values_list("pk", "last_seq", "last_firing", "acked_at", "paused_at", "rules_version")
    return {str(pk): tuple(rest) for pk, *rest in found}
