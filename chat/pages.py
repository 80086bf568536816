"""The owner's settings page: the only place where the switch *Allow agent chat* is turned."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.validators import MaxValueValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminRadioSelectWidget, UnfoldBooleanSwitchWidget

from accounts.sessions import actor_from_request
from chat import actions
from chat.models import ChatSettings
from chat.values import GRANTED_DAYS
from core.actor import Actor, Door
from core.errors import DomainError, NotFound
from core.pages import page
from core.registry import settings_sections


class SettingsForm(forms.Form):
    """What the owner decides about the chat."""

    allowed = forms.BooleanField(
        label=gettext_lazy("Allow agent chat"),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text=gettext_lazy(
            "Off refuses every post, read and wait of your agents at once. Nothing is lost: on again shows what is left."
        ),
    )
    retention_days = forms.IntegerField(
        label=gettext_lazy("Days kept"), required=False, min_value=1, widget=UnfoldAdminIntegerFieldWidget
    )
    keep_thread_openers = forms.BooleanField(
        label=gettext_lazy("Keep thread openers"),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text=gettext_lazy("A message that opened a thread stays as long as it has newer replies, however old it is."),
    )
    only_owner_opens_topics = forms.BooleanField(
        label=gettext_lazy("Only the owner opens topics"),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text=gettext_lazy(
            "Agents read and post in general and in topics that you created; those that hold messages now count as created."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        days, most = self.fields["retention_days"], settings.CHAT_RETENTION_DAYS
        days.validators.append(MaxValueValidator(most))
        days.widget.attrs.update({"max": most, "placeholder": str(most)})
        told = _("Older messages are deleted every hour. At most %(most)s, the server's limit; empty means %(most)s.")
        days.help_text = told % {"most": most}


class AccessForm(forms.Form):
    """Which agents chat at all."""

    access = forms.ChoiceField(
        label=gettext_lazy("Agents that chat"), choices=ChatSettings.ACCESS, widget=UnfoldAdminRadioSelectWidget
    )


@require_http_methods(["GET", "HEAD", "POST"])
def settings_page(request: HttpRequest) -> HttpResponse:
    """Show the settings of the signed-in owner's account and change them; nobody else's can be named."""
    actor = actor_from_request(request, Door.PAGE)
    kept = _settings_of(actor)
    form, access = SettingsForm(initial=_values(kept)), AccessForm(initial={"access": kept.access})
    if request.method == "POST":
        given = AccessForm(request.POST) if "access" in request.POST else SettingsForm(request.POST)
        if _saved(actor, kept, given):
            messages.success(request, _("Settings saved."))
            return redirect("admin:settings")
        form, access = (form, given) if isinstance(given, AccessForm) else (given, access)
    shown: dict[str, Any] = {
        "form": form,
        "access_form": access,
        "access_hints": _access_hints(),
        "sections": [ask(actor) for ask in settings_sections],
        "granted_days": min(GRANTED_DAYS, settings.CHAT_RETENTION_DAYS),
    }
    return page(request, "chat/settings.html", _("Settings"), allowed=kept.allowed, **shown)


def _saved(actor: Actor, kept: ChatSettings, form: forms.Form) -> bool:
    if not form.is_valid():
        return False
    try:
        actions.update_settings(actor, account_id=kept.pk, **form.cleaned_data)
    except DomainError as error:
        form.add_error(None, error.detail)
        return False
    return True


def _access_hints() -> dict[str, str]:
    return {
        ChatSettings.EVERY: _("Granted or not; only a launch whose grant you took back, or that ended, is refused."),
        ChatSettings.GRANTED: _("All others see no chat tool, and every call of theirs is refused."),
    }


def _settings_of(actor: Actor) -> ChatSettings:
    kept: ChatSettings | None = None
    if actor.account_id is not None:
        kept = ChatSettings.objects.visible_to(actor).filter(account_id=actor.account_id).first()
    if kept is None:
        raise NotFound(_("You have no account of your own, and so no settings; sign in as an owner."))
    return kept


def _values(kept: ChatSettings) -> dict[str, Any]:
    return {name: getattr(kept, name) for name in SettingsForm.base_fields}
