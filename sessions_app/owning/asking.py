"""What the pages of sessions have in common: who asks, questions in a dialog, removing, saving settings, and the way back."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from accounts.models import Account
from core.actor import Actor
from core.errors import DomainError, NotFound
from core.pages import fragment, page, person
from sessions_app.owning.actions import Wrong


def own_actor(request: HttpRequest) -> Actor:
    """The signed-in person in his own account; raises NotFound where he has none."""
    actor = person(request)
    if actor.account_id is None:
        raise NotFound(_("You have no account of your own, and so no sessions; sign in as an owner."))
    return actor


def account_of(actor: Actor) -> int:
    """The account of somebody whom `own_actor` let in."""
    assert actor.account_id is not None
    return actor.account_id


def may_run_commands(actor: Actor) -> bool:
    """Whether the hub starts programs for this owner."""
    owners = Account.objects.visible_to(actor).filter(pk=account_of(actor))
    return bool(owners.values_list("owner__may_run_commands", flat=True).first())


def asked(request: HttpRequest, part: str, title: str, **context: Any) -> HttpResponse:
    """The question alone for a dialog, else as a page."""
    if request.htmx:  # type: ignore[attr-defined]
        return fragment(request, part, **context)
    return page(request, "pages/asked.html", title, part=part, **context)


def back(request: HttpRequest, address: str, error: DomainError | None = None, done: str = "") -> HttpResponse:
    """To a page, which says what came of it."""
    if error is not None:
        messages.error(request, error.detail)
    elif done:
        messages.success(request, done)
    gone = redirect(address)
    return HttpResponseClientRedirect(gone.url) if request.htmx else gone  # type: ignore[attr-defined]


def removal(
    request: HttpRequest, *, question: str, consequence: str, at: str, keep: str, remove: Callable[[], None], done: str
) -> HttpResponse:
    """Ask at `at`, in a dialog or as a page; then `remove` it and go back to `keep`."""
    if request.method != "POST":
        words = {"question": question, "consequence": consequence, "at": at, "keep": keep}
        return asked(request, "pages/remove.html", question, **words)
    try:
        remove()
    except DomainError as error:
        return back(request, keep, error)
    return back(request, keep, done=done)


def saved(actor: Actor, form: forms.Form, save: Callable[..., object]) -> bool:
    """Whether `save` has kept the settings of the form; a refusal stands at the field that it is about."""
    if not form.is_valid():
        return False
    try:
        save(actor, account_id=account_of(actor), **form.cleaned_data)
    except DomainError as error:
        name = error.name if isinstance(error, Wrong) else None
        form.add_error(name if name in form.fields else None, error.detail)
        return False
    return True
