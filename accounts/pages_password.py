"""One's own password, changed by who knows the old one."""

from typing import cast

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from accounts import actions
from accounts.forms import OwnPasswordForm
from accounts.models import User
from accounts.sessions import actor_from_request
from accounts.throttle import Throttle
from core.actor import Door
from core.errors import DomainError
from core.pages import page

TRIES = Throttle("own-password", limit=10, seconds=900)
INTRO = gettext_lazy("Every other session of yours ends. Your agents stay connected: end them on the page of connections.")


@sensitive_post_parameters("old", "password", "again")
def password_page(request: HttpRequest) -> HttpResponse:
    """Ask for the old password and the new one; wrong tries are limited, for a session may be somebody else's find."""
    actor = actor_from_request(request, Door.PAGE)
    person = cast(User, request.user)
    form = OwnPasswordForm(request.POST or None, user=person)
    if request.method == "POST":
        try:
            TRIES.check(str(actor.user_id))
            if form.is_valid():
                user = actions.set_password(actor, user_id=person.pk, password=form.cleaned_data["password"])
                TRIES.forget(str(actor.user_id))
                update_session_auth_hash(request, user)
                messages.success(request, _("Your new password is set."))
                return redirect("admin:index")
        except DomainError as error:
            form.add_error(None, error.detail)
    title = _("Change password")
    return page(request, "pages/form.html", title, form=form, intro=INTRO, button=title, back=reverse("admin:index"))
