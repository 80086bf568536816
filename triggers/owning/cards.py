"""What of the push inbox waits for the owner on the page Home."""

from collections.abc import Sequence

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.actor import Actor
from core.registry import HomeCard
from core.text import inert, one_line
from triggers.models import PushServer
from triggers.owning import reading

NAMES_SHOWN = 3
NAME_LENGTH = 40


def waiting(actor: Actor) -> Sequence[HomeCard]:
    """Cards for firings that ask, for servers that cannot push, and for rules that are paused."""
    told = reading.told(actor)
    return [] if told is None else [*_asked(told.asked), *_in_trouble(actor), *_paused(told.paused)]


def _asked(count: int) -> list[HomeCard]:
    if not count:
        return []
    sentence = ngettext(
        "%(count)d firing of a rule waits for your yes or no.", "%(count)d firings of rules wait for your yes or no.", count
    )
    return [HomeCard(sentence % {"count": count}, f"{reverse('admin:push-inbox')}#waits", _("Decide"))]


def _in_trouble(actor: Actor) -> list[HomeCard]:
    servers = reading.in_trouble(actor)
    if not servers:
        return []
    sentence = ngettext(
        "A push server cannot push to you: %(names)s.", "Push servers cannot push to you: %(names)s.", len(servers)
    ) % {"names": _names(servers)}
    return [HomeCard(sentence, reverse("admin:push-servers"), _("Look at the servers"))]


def _names(servers: Sequence[PushServer]) -> str:
    told = ", ".join(f"{inert(one_line(each.name, NAME_LENGTH))} ({each.get_state_display()})" for each in servers[:NAMES_SHOWN])
    return told if len(servers) <= NAMES_SHOWN else f"{told}, …"


def _paused(paused: bool) -> list[HomeCard]:
    sentence = _("Your rules are paused: nothing fires, and what is queued waits.")
    return [HomeCard(sentence, reverse("admin:push-inbox"), _("Resume"))] if paused else []
