"""The chat's hints, and the net beneath them."""

from core.news.net import Version

KIND = "chat"


def chat_key(account_id: int) -> str:
    """Rings when a message was stored or the owner's switch was turned."""
    return f"{KIND}:{account_id}"


def versions(account_ids: list[str]) -> dict[str, Version]:
    """Last number and switch of each account, in one query."""
    from chat.models import Counter

    rows = Counter.objects.filter(account_id__in=[int(each) for each in account_ids]).values_list(
        "account_id", "last_seq", "account__chat_settings__allowed"
    )
    return {str(account_id): (last_seq, allowed) for account_id, last_seq, allowed in rows}
