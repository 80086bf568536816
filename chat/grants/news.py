"""The hints that grants give, and the nets beneath them."""

from django.db.models import Count, Max, OuterRef, Q, Subquery

from accounts.launches.news import launch_key, launches_key
from chat.launcher.news import pane_key
from chat.news import chat_key, with_grants
from core import news
from core.news.net import Version
from core.tools import tools_key


def ring(account_id: int, launch_id: int) -> None:
    """Once the surrounding transaction has committed: tools may come or go, waits may end; the launch's launcher hears, and
    looks at its pane."""
    news.publish_on_commit(tools_key(account_id), chat_key(account_id), launches_key(account_id))
    news.publish_on_commit(launch_key(launch_id), pane_key(launch_id))


def tools_versions(account_ids: list[str]) -> dict[str, Version]:
    """What decides who sees the chat's tools: each account's access mode, and how often grants were given or ended."""
    from chat.models import ChatSettings

    rows = with_grants(ChatSettings.objects.filter(account_id__in=[int(each) for each in account_ids]))
    return {str(account_id): tuple(rest) for account_id, *rest in rows.values_list("account_id", "access", "moves")}


def launch_versions(launch_ids: list[str]) -> dict[str, Version]:
    """What a launcher is told of: its launch's end, pane and connection, its newest grant, and the newest wake asked for."""
    from accounts.models import Launch
    from chat.models import Grant, Wake

    newest = Grant.objects.filter(launch_id=OuterRef("pk")).order_by("-id")
    wakes = Wake.objects.filter(launch_id=OuterRef("pk"), outcome=Wake.PENDING).order_by("-id")
    rows = Launch.objects.filter(pk__in=[int(each) for each in launch_ids]).annotate(
        newest=Subquery(newest.values("id")[:1]),
        grant_ended=Subquery(newest.values("ended_at")[:1]),
        asked=Subquery(wakes.values("id")[:1]),
    )
    told = rows.values_list("pk", "ended_at", "pane_state", "connection_id", "newest", "grant_ended", "asked")
    return {str(pk): tuple(rest) for pk, *rest in told}


def list_versions(account_ids: list[str]) -> dict[str, Version]:
    """What the list of launches shows of each account: how many there are, in which state, and who listed the tools last."""
    from accounts.models import Launch

    ids = [int(each) for each in account_ids]
    told = (
        Launch.objects.filter(account_id__in=ids)
        .order_by()
        .values("account_id")
        .annotate(
            all=Count("pk", distinct=True),
            live=Count("pk", distinct=True, filter=Q(ended_at=None)),
            claimed=Count("pk", distinct=True, filter=Q(ended_at=None, pane_state=Launch.CLAIMED)),
            newest=Max("grants"),
            ended=Max("grants__ended_at"),
            listed=Max("attendance__tools_listed_at"),
        )
        .values_list("account_id", "all", "live", "claimed", "newest", "ended", "listed")
    )
    found: dict[str, Version] = {str(account_id): tuple(rest) for account_id, *rest in told}
    return {each: found.get(each, (0,)) for each in account_ids}
