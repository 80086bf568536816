"""Forms of the page Push servers: a new one, a changed one, many at once from JSON, and all of them as JSON."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from core.actor import Actor
from core.errors import DomainError
from core.pages import in_own_transaction, page
from sessions_app.owning.asking import back, may_run_commands
from triggers.managing.asking import row
from triggers.managing.forms_servers import ImportForm, ServerForm
from triggers.models import PushServer
from triggers.owning.asking import own_actor
from triggers.servers import actions

FRESH = {"enabled": True, "refresh_tools": True, "transport": PushServer.HTTP}
SHOWN = ("name", "enabled", "transport", "url", "argv", "channels", "refresh_tools")


@require_http_methods(["GET", "HEAD", "POST"])
@in_own_transaction
def add_page(request: HttpRequest) -> HttpResponse:
    """The form of a new one."""
    return _form_page(request, own_actor(request), None)


@require_http_methods(["GET", "HEAD", "POST"])
@in_own_transaction
def edit_page(request: HttpRequest, server_id: int) -> HttpResponse:
    """The form of one that is there. Foreign and unknown are answered alike."""
    return _form_page(request, *row(request, PushServer, server_id))


@require_http_methods(["GET", "HEAD", "POST"])
@in_own_transaction
def import_page(request: HttpRequest) -> HttpResponse:
    """Take servers from JSON: all of them, or none."""
    actor = own_actor(request)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    if request.method == "POST" and form.is_valid():
        try:
            made = actions.import_servers(actor, form.cleaned_data["text"])
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            done = ngettext("%(count)d push server is saved.", "%(count)d push servers are saved.", len(made))
            return back(request, reverse("admin:push-servers"), done=done % {"count": len(made)})
    return page(request, "triggers/servers_import.html", _("Import push servers"), form=form)


@require_safe
@never_cache
def export(request: HttpRequest) -> HttpResponse:
    """All of them as a file, without what is secret."""
    text = actions.export_servers(own_actor(request))
    disposition = {"Content-Disposition": 'attachment; filename="push-servers.json"'}
    return HttpResponse(text, content_type="application/json", headers=disposition)


def _form_page(request: HttpRequest, actor: Actor, held: PushServer | None) -> HttpResponse:
    form = _form(request, actor, held)
    if request.method == "POST" and form.is_valid():
        try:
            kept = actions.save_server(actor, form.draft())
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            address = reverse("admin:push-server", args=[kept.pk])
            return back(request, address, done=_("%(name)s is saved.") % {"name": kept.name})
    title = _("New push server") if held is None else _("Push server %(name)s") % {"name": held.name}
    return page(request, "triggers/server_form.html", title, form=form, held=held)


def _form(request: HttpRequest, actor: Actor, held: PushServer | None) -> ServerForm:
    initial = FRESH if held is None else {name: getattr(held, name) for name in SHOWN}
    given: dict[str, Any] = {"initial": initial, "held": held, "may_run_commands": may_run_commands(actor)}
    return ServerForm(request.POST, **given) if request.method == "POST" else ServerForm(**given)
