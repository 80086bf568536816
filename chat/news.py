"""The chat's hints, and the net beneath them."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery

from core.news.net import Version

KIND = "chat"


def chat_key(account_id: int) -> str:
    """Rings when a message was stored or the owner's switch was turned."""
    return f"{KIND}:{account_id}"


def inbox_key(account_id: int) -> str:
    """Rings when a mention was offered or read, or the owner read on: what pages show of it. Without a net: they catch up later."""
    return f"inbox:{account_id}"


def versions(account_ids: list[str]) -> dict[str, Version]:
    """Last number, switch, access mode and grants of each account, in one query."""
    from chat.models import Counter

    rows = with_grants(Counter.objects.filter(account_id__in=[int(each) for each in account_ids])).values_list(
        "account_id", "last_seq", "account__chat_settings__allowed", "account__chat_settings__access", "newest", "live"
    )
    return {str(account_id): tuple(rest) for account_id, *rest in rows}


def with_grants(rows: QuerySet[Any]) -> QuerySet[Any]:
    """One row an account, with the id of its `newest` grant and how many are `live`: no grant comes or ends without a trace."""
    from chat.models import Grant

    own = Grant.objects.filter(account_id=OuterRef("account_id"))
    live = own.filter(ended_at=None).order_by().values("account_id").annotate(count=Count("*")).values("count")
    annotated: QuerySet[Any] = rows.annotate(newest=Subquery(own.order_by("-id").values("id")[:1]), live=Subquery(live))
    return annotated
