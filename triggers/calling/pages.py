"""The pages by which an owner signs the hub in to a push server: there, and back."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextInputWidget

from core.actor import Actor
from core.errors import DomainError, NotFound
from core.pages import in_own_transaction, page, person
from triggers.calling import actions
from triggers.calling.signing import clients, flow
from triggers.models import PushServer

View = Callable[..., HttpResponse]
KEPT = "push_sign_ins"
MOST_KEPT = 5
"""Sign-ins that an owner may have begun side by side, in as many tabs."""

_PLAIN = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class ClientForm(forms.Form):
    """What an owner was given by the sign-in service's own people, where it registers no clients by itself."""

    client_id = forms.CharField(
        label=gettext_lazy("Client id"),
        required=False,
        max_length=actions.ID_LENGTH,
        widget=UnfoldAdminTextInputWidget(attrs=_PLAIN),
    )
    client_secret = forms.CharField(
        label=gettext_lazy("Client secret"),
        required=False,
        max_length=actions.ID_LENGTH,
        widget=UnfoldAdminPasswordWidget(attrs={**_PLAIN, "autocomplete": "new-password"}, render_value=False),
    )


def page_urls() -> list[tuple[str, View, str]]:
    """Each page's address within the admin site, its view and its name."""
    return [
        ("push-servers/signed-in/", push_server_signed_in, "push-server-signed-in"),
        ("push-servers/<int:server_id>/sign-in/", push_server_sign_in, "push-server-sign-in"),
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@in_own_transaction
def push_server_sign_in(request: HttpRequest, server_id: int) -> HttpResponse:
    """Ask whether to sign in, find out where, and show the way there. Foreign and unknown are answered alike."""
    actor = _owner(request)
    held = _server(actor, server_id)
    form = ClientForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            begun = actions.begin_sign_in(actor, server_id, **form.cleaned_data)
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            _keep(request, begun.pending)
            return _page(request, held, "triggers/sign_in_go.html", begun=begun)
    return _page(request, held, "triggers/sign_in.html", form=form, callback=clients.callback(), unfolded=form.errors)


@require_safe
def push_server_signed_in(request: HttpRequest) -> HttpResponse:
    """Where a sign-in service sends the owner back to; who was not sent there by this session gets nowhere."""
    actor = _owner(request)
    said = request.GET
    state = said.get("state", "")
    returned = flow.Returned(
        code=said.get("code", ""),
        state=state,
        iss=said.get("iss"),
        error=said.get("error", ""),
        description=said.get("error_description", ""),
    )
    try:
        held = actions.finish_sign_in(actor, _taken(request, state), returned)
    except DomainError as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, _("The hub is signed in to %(name)s.") % {"name": held.name})
    return redirect("admin:push-servers")


@require_safe
@cache_control(public=True, max_age=3600)
def client_metadata(request: HttpRequest) -> HttpResponse:
    """The document by whose address sign-in services may know this hub (client id metadata document)."""
    said = clients.metadata().model_dump(mode="json", by_alias=True, exclude_none=True)
    return JsonResponse({"client_id": clients.document_address(), **said})


def _owner(request: HttpRequest) -> Actor:
    actor = person(request)
    if actor.account_id is None:
        raise NotFound(_("You have no account of your own, and so no push servers; sign in as an owner."))
    return actor


def _server(actor: Actor, server_id: int) -> PushServer:
    own = PushServer.objects.visible_to(actor).filter(account_id=actor.account_id, pk=server_id)
    held: PushServer | None = own.exclude(transport=PushServer.STDIO).first()
    if held is None:
        raise Http404
    return held


def _page(request: HttpRequest, held: PushServer, part: str, **context: Any) -> HttpResponse:
    title = _("Sign in to %(name)s") % {"name": held.name}
    return page(request, "pages/asked.html", title, part=part, server=held, back=reverse("admin:push-servers"), **context)


def _keep(request: HttpRequest, pending: flow.Pending) -> None:
    """With the session of who began it, for nobody else may bring the answer."""
    kept = [*request.session.get(KEPT, []), [pending.state, pending.sealed()]]
    request.session[KEPT] = kept[-MOST_KEPT:]


def _taken(request: HttpRequest, state: str) -> str | None:
    """The pending sign-in of this state, once."""
    kept = request.session.get(KEPT, [])
    found = next((sealed for each, sealed in kept if each == state), None)
    if found is not None:
        request.session[KEPT] = [each for each in kept if each[0] != state]
    return found
