"""Rules as a file: brought in after a dry run, taken out, read anew from the hub's data folder."""

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
from sessions_app.owning.asking import account_of, asked, back
from triggers.managing.forms_servers import ImportForm
from triggers.managing.saying import warn
from triggers.owning.asking import own_actor
from triggers.rules import actions
from triggers.rules.files import drafts_in
from triggers.rules.trying import dry_run


@require_http_methods(["GET", "HEAD", "POST"])
@in_own_transaction
def import_page(request: HttpRequest) -> HttpResponse:
    """Show what the rules of some JSON would do, or let them replace all that there are."""
    actor = own_actor(request)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    trials: Any = None
    if request.method == "POST" and form.is_valid():
        try:
            drafts = drafts_in(form.cleaned_data["text"])
            if "try" in request.POST:
                trials = dry_run(actor, drafts)
                form = ImportForm(initial={"text": form.cleaned_data["text"]})
            else:
                return _replaced(request, actions.replace_all(actor, account_of(actor), drafts))
        except DomainError as error:
            form.add_error(None, error.detail)
    return page(request, "triggers/rules_import.html", _("Import rules"), form=form, trials=trials)


@require_safe
@never_cache
def export(request: HttpRequest) -> HttpResponse:
    """The rules in force as a file."""
    text = actions.export(own_actor(request))
    disposition = {"Content-Disposition": 'attachment; filename="rules.json"'}
    return HttpResponse(text, content_type="application/json", headers=disposition)


@require_http_methods(["GET", "HEAD", "POST"])
def reload_page(request: HttpRequest) -> HttpResponse:
    """Ask, then let the account's file be the rules."""
    actor = own_actor(request)
    if request.method != "POST":
        return asked(request, "triggers/rules_reload.html", _("Reload the rules"), file=_file(actor))
    try:
        saved = actions.reload(actor, account_of(actor))
    except DomainError as error:
        return back(request, reverse("admin:rules"), error)
    return _replaced(request, saved)


def _replaced(request: HttpRequest, saved: actions.Saved) -> HttpResponse:
    warn(request, saved.warnings)
    done = ngettext("%(count)d rule is in force.", "%(count)d rules are in force.", len(saved.rules))
    return back(request, reverse("admin:rules"), done=done % {"count": len(saved.rules)})


def _file(actor: Actor) -> str:
    return f"rules/{account_of(actor)}.json"
