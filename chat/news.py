"""The chat's hints, and the net beneath them."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery

from core.news.net import Version

KIND = "chat"


def chat_key(account_id: int) -> str:
    """Rings when a message was stored or the owner's switch was turned."""
    return f"{KIND}:{account_id}"


def inbox_key(account_id: int) -> str:
    """Rings when a mention was offered or read, or the owner read on: what pages show of it. No net: they catch up later."""
    return f"inbox:{account_id}"


def versions(account_ids: list[str]) -> dict[str, Version]:
    """Last number, switch, access mode and grants of each account, in one query."""
    from chat.models import Counter

    rows = with_grants(Counter.objects.filter(account_id__in=[int(each) for each in account_ids])).values_list(
        "account_id", "last_seq", "account__chat_settings__allowed", "account__chat_settings__access", "moves"
    )
    return {str(account_id): tuple(rest) for account_id, *rest in rows}


def with_grants(rows: QuerySet[Any]) -> QuerySet[Any]:
    """One row an account, with `moves`: how often a grant was given or ended, so that neither goes unseen."""
    from chat.models import Grant

    own = Grant.objects.filter(account_id=OuterRef("account_id")).order_by().values("account_id")
    moves = own.annotate(moves=Count("*") + Count("ended_at")).values("moves")
    annotated: QuerySet[Any] = rows.annotate(moves=Subquery(moves))
    return annotated
