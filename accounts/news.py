"""The hint that an account's connections changed: one came, ended, or was used for the first time; and the net beneath it."""

from core.news.net import Version

KIND = "connections"


def connections_key(account_id: int) -> str:
    """Rings when a client was let in, a connection stands, made its first call or was revoked."""
    return f"{KIND}:{account_id}"


def versions(account_ids: list[str]) -> dict[str, Version]:
    """How many connections each account has and had, and the newest written use of one."""
    from django.db.models import Count, Max

    from accounts.models import Connection

    ids = [int(each) for each in account_ids]
    rows = Connection.objects.filter(account_id__in=ids).order_by().values_list("account_id")
    told = rows.annotate(all=Count("pk"), revoked=Count("revoked_at"), used=Count("last_used_at"), last=Max("last_used_at"))
    found: dict[str, Version] = {str(account_id): tuple(rest) for account_id, *rest in told}
    return {each: found.get(each, (0,)) for each in account_ids}
