"""Whose runs firings are: the agent that the owner chose, or the account's default one."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from core.errors import Invalid
from sessions_app.models import Agent, SessionSettings
from triggers.models import TriggerSettings


@dataclass(frozen=True, slots=True)
class Chosen:
    """An agent that the hub runs by itself; `is_default`: its keys need not name it."""

    slug: str
    is_default: bool


def chosen(kept: TriggerSettings) -> Chosen:
    """The agent; raises Invalid where there is none, or the hub cannot run it."""
    default = SessionSettings.objects.values_list("default_agent", flat=True).get(pk=kept.pk)
    slug = kept.agent or default
    agent = Agent.objects.filter(account_id=kept.pk, slug=slug, enabled=True).only("runner").first()
    if agent is None:
        raise Invalid(
            _('There is no agent "%(slug)s" that is switched on; choose one in the settings of the push inbox.') % {"slug": slug}
        )
    if agent.runner == Agent.CONNECTED:
        told = _(
            'The hub cannot run agent "%(slug)s" by itself, for it is a connected one; choose a command or model agent in the '
            "settings of the push inbox."
        )
        raise Invalid(told % {"slug": slug})
    return Chosen(slug, slug == default)


def fault(account_id: int) -> str:
    """Why no firing of the account could run now; empty where one could."""
    try:
        chosen(TriggerSettings.objects.get(pk=account_id))
    except Invalid as refusal:
        return refusal.detail
    return ""
