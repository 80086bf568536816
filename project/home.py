"""The page Home: what happens now, what waits for the owner, and how an agent is connected."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import overview
from accounts.sessions import actor_from_request
from chat import conversation
from chat.conversation import HourCount, TopicLine
from chat.pages_launches import LAUNCH_LINE
from core import clock
from core.actor import Actor, Door
from core.pages import Page, fragment, page
from core.registry import HomeCard, home_cards
from project.connecting import ways

HOURS = 24
TOPICS_SHOWN = 8
STEP, WIDTH, HEIGHT, LEAST = 10, 8, 100, 2
"""The chart's units: an hour's room, its bar's width, the highest bar, and the lowest that is any."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One hour of the chart, in its units."""

    hour: datetime
    messages: int
    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """One topic, and its share of the busiest one in per cent."""

    line: TopicLine
    share: int


@require_safe
def home_page(request: HttpRequest) -> Page:
    """What happens now; until an agent has called once, how to connect one before that."""
    actor = actor_from_request(request, Door.PAGE)
    told = _now(actor)
    first = actor.account_id is not None and not told["in_use"].ever_called
    shown = {**told, **(_connecting(actor, None) if first else {}), "first_run": first, "owned": actor.account_id is not None}
    return page(request, "pages/home.html", _("Home"), **shown)


@require_safe
def now_part(request: HttpRequest) -> Page:
    """What happens now, for the page to renew."""
    return fragment(request, "pages/home_now.html", **_now(actor_from_request(request, Door.PAGE)))


@require_safe
def connect_page(request: HttpRequest) -> Page:
    """How to connect a further agent, and how far that has come since the page was opened."""
    actor = actor_from_request(request, Door.PAGE)
    since = _since(request) or clock.now().replace(microsecond=0)
    return page(request, "pages/connect.html", _("Connect an agent"), **_connecting(actor, since))


@require_safe
def steps_part(request: HttpRequest) -> Page:
    """How far it has come, for the page to renew."""
    actor, since = actor_from_request(request, Door.PAGE), _since(request)
    return fragment(request, "pages/connect_steps.html", steps=overview.steps(actor, since=since))


def _connecting(actor: Actor, since: datetime | None) -> dict[str, Any]:
    return {
        "ways": ways(settings.TERTULIA_RESOURCE),
        "launch_line": LAUNCH_LINE,
        "steps": overview.steps(actor, since=since),
        "since": int(since.timestamp()) if since else "",
    }


def _since(request: HttpRequest) -> datetime | None:
    """The moment in the address, in seconds; what is none, or lies ahead, counts as not given."""
    given = request.GET.get("since", "")
    if not (given.isascii() and given.isdigit() and len(given) <= 10):
        return None
    moment = datetime.fromtimestamp(int(given), UTC)
    return moment if moment <= clock.now() else None


def _now(actor: Actor) -> dict[str, Any]:
    hours = [] if actor.account_id is None else conversation.per_hour(actor, hours=HOURS)
    lines = [] if actor.account_id is None else conversation.topics(actor)
    return {
        "cards": _cards(actor),
        "bars": bars(hours),
        "day": sum(each.messages for each in hours),
        "most": max((each.messages for each in hours), default=0),
        "latest": conversation.latest_seq(actor) if hours else 0,
        "topic_count": len(lines),
        "many_topics": len(lines) >= conversation.TOPICS_MOST,
        "traffic": traffic(lines),
        "in_use": overview.in_use(actor),
    }


def _cards(actor: Actor) -> list[HomeCard]:
    return [] if actor.account_id is None else [card for ask in home_cards for card in ask(actor)]


def bars(hours: list[HourCount]) -> list[Bar]:
    """The chart's bars, oldest first; the busiest hour is as high as the chart."""
    most = max((each.messages for each in hours), default=0)
    heights = [max(LEAST, each.messages * HEIGHT // most) if each.messages else 0 for each in hours]
    return [
        Bar(each.hour, each.messages, x=place * STEP + (STEP - WIDTH) // 2, y=HEIGHT - height, height=height)
        for place, (each, height) in enumerate(zip(hours, heights, strict=True))
    ]


def traffic(lines: list[TopicLine]) -> list[Traffic]:
    """The busiest topics, the busiest first; one that holds nothing is none."""
    busiest = sorted((line for line in lines if line.messages), key=lambda line: (-line.messages, line.topic))[:TOPICS_SHOWN]
    return [Traffic(line, share=max(1, 100 * line.messages // busiest[0].messages)) for line in busiest]
