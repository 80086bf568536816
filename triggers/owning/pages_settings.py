"""The section *Push inbox* of the settings page, and where its form goes."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminSelectWidget

from core.actor import Actor
from core.pages import page
from core.registry import SettingsSection
from sessions_app.models import Agent
from sessions_app.owning.asking import back, saved
from sessions_app.owning.forms_agents import number, switch
from triggers.owning import reading
from triggers.owning.actions import AUTO_RUNS, update_settings
from triggers.owning.asking import own_actor

TEMPLATE = "triggers/settings_section.html"
AGENTS_MOST = 200


class PushSettingsForm(forms.Form):
    """What an owner decides about firings and prompts; the action says what may be."""

    agent = forms.ChoiceField(
        label=gettext_lazy("Firings are runs of"),
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("Each runs in a session of its own."),
    )
    auto_runs = number(
        gettext_lazy("Runs of firings at once"), gettext_lazy("Further ones wait in the queue."), least=AUTO_RUNS[0]
    )
    in_prompts = switch(
        gettext_lazy("Show agents the newest push messages"),
        gettext_lazy("The five newest stand with each prompt, marked as data."),
    )

    def __init__(self, *args: Any, actor: Actor, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        slugs = Agent.objects.visible_to(actor).filter(account_id=actor.account_id).order_by("slug")
        named = [(slug, slug) for slug in slugs.values_list("slug", flat=True)[:AGENTS_MOST]]
        self.fields["agent"].choices = [("", _("the default agent")), *named]  # type: ignore[attr-defined]
        self.fields["auto_runs"].widget.attrs["max"] = AUTO_RUNS[1]


def section(actor: Actor) -> SettingsSection:
    """The section as the settings page shows it."""
    return SettingsSection(TEMPLATE, {"push_form": _filled(actor)})


@require_http_methods(["GET", "HEAD", "POST"])
def push_settings_page(request: HttpRequest) -> HttpResponse:
    """Change the settings; shown by itself where something is to be mended."""
    actor = own_actor(request)
    form = _filled(actor)
    if request.method == "POST":
        form = PushSettingsForm(request.POST, actor=actor, auto_id="push_%s")
        if saved(actor, form, update_settings):
            return back(request, f"{reverse('admin:settings')}#push-settings", done=_("Settings saved."))
    return page(request, "triggers/settings.html", _("Settings of the push inbox"), push_form=form)


def _filled(actor: Actor) -> PushSettingsForm:
    kept = reading.kept(actor)
    values = {name: getattr(kept, name) for name in PushSettingsForm.base_fields}
    return PushSettingsForm(initial=values, actor=actor, auto_id="push_%s")
