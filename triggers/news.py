"""The hints about push messages, firings and servers, and the net beneath them."""

from core.news.net import Version

PUSH, SERVERS = "push", "push-servers"


def push_key(account_id: int) -> str:
    """Rings when the account's inbox, rules or firings look different."""
    return f"{PUSH}:{account_id}"


def servers_key(account_id: int) -> str:
    """Rings when a push server of the account was edited, or its state changed; listeners and pages hear it."""
    return f"{SERVERS}:{account_id}"


def push_versions(ids: list[str]) -> dict[str, Version]:
    """Numbers of each account's inbox, in one query."""
    from triggers.models import TriggerSettings

    rows = TriggerSettings.objects.filter(pk__in=[int(each) for each in ids])
    found = rows.values_list("pk", "last_seq", "last_firing", "acked_at", "paused_at", "rules_version")
    return {str(pk): tuple(rest) for pk, *rest in found}
