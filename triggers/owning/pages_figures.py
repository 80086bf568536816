"""The page Figures: messages by channel, firings by outcome, and what each rule did."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from core.actor import Actor
from core.pages import fragment, page
from core.text import inert, one_line
from triggers.owning import charts, figures
from triggers.owning.asking import own_actor
from triggers.owning.words import OTHERS, OUTCOMES

NAME_LENGTH = 40


@require_safe
def figures_page(request: HttpRequest) -> HttpResponse:
    """The charts and the rules."""
    return page(request, "triggers/figures.html", _("Push messages in figures"), **_figures(own_actor(request)))


@require_safe
def figures_part(request: HttpRequest) -> HttpResponse:
    """The same, for the page to renew."""
    return fragment(request, "triggers/figures_now.html", **_figures(own_actor(request)))


def _figures(actor: Actor) -> dict[str, Any]:
    pushed, fired = figures.by_channel(actor), figures.by_outcome(actor)
    return {
        "days": figures.DAYS,
        "pushed": pushed,
        "channels": [OTHERS if name == charts.REST else inert(one_line(name, NAME_LENGTH)) for name in pushed.series],
        "fired": fired,
        "outcomes": list(OUTCOMES.values()),
        "lines": figures.rules(actor),
    }
