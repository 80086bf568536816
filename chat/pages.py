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
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldBooleanSwitchWidget

from accounts.sessions import actor_from_request
from chat import actions
from chat.models import ChatSettings
from core.actor import Actor, Door
from core.errors import DomainError, NotFound
from core.pages import page


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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        days, most = self.fields["retention_days"], settings.CHAT_RETENTION_DAYS
        days.validators.append(MaxValueValidator(most))
        days.widget.attrs.update({"max": most, "placeholder": str(most)})
        told = _("Older messages are deleted every hour. At most %(most)s, the server's limit; empty means %(most)s.")
        days.help_text = told % {"most": most}


@require_http_methods(["GET", "HEAD", "POST"])
def settings_page(request: HttpRequest) -> HttpResponse:
    """Show the settings of the signed-in owner's account and change them; nobody else's can be named."""
    actor = actor_from_request(request, Door.PAGE)
    kept = _settings_of(actor)
    form = SettingsForm(request.POST) if request.method == "POST" else SettingsForm(initial=_values(kept))
    if request.method == "POST" and form.is_valid():
        try:
            actions.update_settings(actor, account_id=kept.pk, **form.cleaned_data)
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            messages.success(request, _("Settings saved."))
            return redirect("admin:settings")
    return page(request, "chat/settings.html", _("Settings"), form=form, button=_("Save"), allowed=kept.allowed)


def _settings_of(actor: Actor) -> ChatSettings:
    kept: ChatSettings | None = None
    if actor.account_id is not None:
        kept = ChatSettings.objects.visible_to(actor).filter(account_id=actor.account_id).first()
    if kept is None:
        raise NotFound(_("You have no account of your own, and so no settings; sign in as an owner."))
    return kept


def _values(kept: ChatSettings) -> dict[str, Any]:
    return {"allowed": kept.allowed, "retention_days": kept.retention_days, "keep_thread_openers": kept.keep_thread_openers}
