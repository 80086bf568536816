"""The section *Sessions* of the settings page, and where its form goes."""

import json
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from core.actor import Actor
from core.errors import NotFound
from core.pages import page
from core.registry import SettingsSection
from sessions_app.models import SessionSettings
from sessions_app.owning.actions import ALLOW, LIMITS, update_settings
from sessions_app.owning.asking import back, own_actor, saved
from sessions_app.owning.forms_agents import PLAIN, LinesField, number, switch, text

TEMPLATE = "sessions_app/settings_section.html"


class SessionSettingsForm(forms.Form):
    """What an owner decides about sessions; the action says what may be."""

    visibility = forms.ChoiceField(
        label=gettext_lazy("A session sees"),
        choices=SessionSettings.VISIBILITY,
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("Which other sessions an agent may list, read and send to."),
    )
    sandbox_visibility = forms.ChoiceField(
        label=gettext_lazy("A sandboxed session sees"), choices=SessionSettings.SANDBOX, widget=UnfoldAdminSelectWidget
    )
    agent_to_agent = switch(gettext_lazy("Agents reach each other's sessions"))
    agent_to_agent_allow = LinesField(
        gettext_lazy("Which agents"), gettext_lazy("Names of agents, one a line, * for any end; empty: every agent.")
    )
    default_agent = text(
        gettext_lazy("Default agent"), required=True, most=64, hint=gettext_lazy("Whose main session “main” is.")
    )
    scope = forms.ChoiceField(label=gettext_lazy("Main sessions"), choices=SessionSettings.SCOPE, widget=UnfoldAdminSelectWidget)
    turns = number(gettext_lazy("Turns of a reply loop"), gettext_lazy("0 to 5."))
    chain_budget = number(gettext_lazy("Runs of one chain"), gettext_lazy("Then you are asked whether it goes on."), least=1)
    offer_minutes = number(
        gettext_lazy("Minutes that a run waits for its agent"), gettext_lazy("For agents that are connected."), least=1
    )
    send_policy = forms.CharField(
        label=gettext_lazy("Send policy"),
        required=False,
        max_length=32_768,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 7, **PLAIN}),
        help_text=gettext_lazy(
            "What may leave a session, as JSON: a default, and rules by channel, chatType, keyPrefix or rawKeyPrefix; "
            "one that denies wins. Empty allows all."
        ),
    )
    subagent_depth = number(gettext_lazy("Sub-agents: levels"), least=1)
    subagent_children = number(gettext_lazy("Sub-agents of one session"), least=1)
    subagent_concurrent = number(gettext_lazy("Sub-agents at work at once"), least=1)
    subagent_timeout_seconds = number(gettext_lazy("Sub-agents: longest run, in seconds"), gettext_lazy("0: no limit."))
    subagent_archive_minutes = number(gettext_lazy("Sub-agents: minutes until archived"), gettext_lazy("0: never."))
    subagent_model = text(gettext_lazy("Sub-agents: model"), hint=gettext_lazy("Empty: that of the agent."))
    default_model = text(gettext_lazy("Model of agents that name none"))
    subagent_tools_allow = LinesField(
        gettext_lazy("Sub-agents: tools about sessions"), gettext_lazy("One a line; empty: none of them.")
    )
    subagent_tools_deny = LinesField(
        gettext_lazy("Sub-agents: tools denied"), gettext_lazy("One a line; wins over what is allowed.")
    )

    GROUPS = (
        ("reach", ("visibility", "agent_to_agent", "agent_to_agent_allow", "sandbox_visibility", "default_agent", "scope")),
        ("sending", ("turns", "chain_budget", "offer_minutes", "send_policy", "default_model")),
        ("subagents", ()),
    )

    def clean_send_policy(self) -> Any:
        """The text as what it says."""
        given = self.cleaned_data["send_policy"].strip()
        try:
            return json.loads(given) if given else {}
        except (ValueError, RecursionError):
            raise forms.ValidationError(_('This is no JSON; write such as {"default": "allow", "rules": []}.')) from None

    def grouped(self) -> list[tuple[str, list[Any]]]:
        """Its fields under three headings."""
        named = {name for _group, names in self.GROUPS for name in names}
        rest = [self[name] for name in self.fields if name not in named]
        return [(group, [self[name] for name in names] or rest) for group, names in self.GROUPS]


def section(actor: Actor) -> SettingsSection:
    """The section as the settings page shows it."""
    return SettingsSection(TEMPLATE, {"session_form": _filled(_kept(actor))})


@require_http_methods(["GET", "HEAD", "POST"])
def session_settings_page(request: HttpRequest) -> HttpResponse:
    """Change the settings; shown by itself where something is to be mended."""
    actor = own_actor(request)
    kept = _kept(actor)
    form = _filled(kept)
    if request.method == "POST":
        form = SessionSettingsForm(request.POST, auto_id="session_%s")
        if saved(actor, form, update_settings):
            return back(request, f"{reverse('admin:settings')}#session-settings", done=_("Settings saved."))
    return page(request, "sessions_app/settings.html", _("Settings of sessions"), session_form=form)


def _filled(kept: SessionSettings) -> SessionSettingsForm:
    values = {name: getattr(kept, name) for name in SessionSettingsForm.base_fields}
    values["send_policy"] = json.dumps(kept.send_policy or {"default": ALLOW, "rules": []}, indent=2, ensure_ascii=False)
    form = SessionSettingsForm(initial=values, auto_id="session_%s")
    for name, (_least, most) in LIMITS.items():
        form.fields[name].widget.attrs["max"] = most
    return form


def _kept(actor: Actor) -> SessionSettings:
    kept: SessionSettings | None = SessionSettings.objects.visible_to(actor).filter(account_id=actor.account_id).first()
    if kept is None:
        raise NotFound(_("You have no account of your own, and so no settings; sign in as an owner."))
    return kept
