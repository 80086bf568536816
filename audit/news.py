"""The hint that somebody did something, and the net beneath it."""

from core.news.net import Version

KIND = "audit"


def audit_key(account_id: int) -> str:
    """Rings when a deed of this account was recorded."""
    return f"{KIND}:{account_id}"


def versions(account_ids: list[str]) -> dict[str, Version]:
    """The newest entry of each account."""
    from django.db.models import Max

    from audit.models import Entry

    ids = [int(each) for each in account_ids]
    newest = {each: Entry.objects.filter(account_id=each).aggregate(newest=Max("id"))["newest"] for each in ids}
    return {str(account_id): (entry_id,) for account_id, entry_id in newest.items()}
