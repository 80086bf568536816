"""One's own profile: the language of the pages."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminSelectWidget

from accounts import actions
from accounts.sessions import actor_from_request
from core.actor import Door
from core.errors import DomainError
from core.pages import page

AS_BROWSER = ("", gettext_lazy("As the browser asks"))


class ProfileForm(forms.Form):
    """What a person chooses for himself."""

    language = forms.ChoiceField(label=gettext_lazy("Language"), required=False, widget=UnfoldAdminSelectWidget)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["language"].choices = [AS_BROWSER, *settings.LANGUAGES]  # type: ignore[attr-defined]


@require_http_methods(["GET", "HEAD", "POST"])
def profile_page(request: HttpRequest) -> HttpResponse:
    """Show and change the signed-in person's own choices."""
    actor = actor_from_request(request, Door.PAGE)
    form = ProfileForm(request.POST or None, initial={"language": request.user.language})  # type: ignore[union-attr]
    if request.method == "POST" and form.is_valid():
        language = form.cleaned_data["language"]
        try:
            actions.set_language(actor, language=language)
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            with translation.override(language or translation.get_language_from_request(request)):
                messages.success(request, _("Profile saved."))
            return redirect("admin:profile")
    return page(request, "pages/form.html", _("Your profile"), form=form, button=_("Save"), back=reverse("admin:index"))
