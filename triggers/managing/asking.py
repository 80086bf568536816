"""What the pages of push servers, webhooks and rules have in common: may this owner run commands, and removing."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from accounts.models import Account
from core.actor import Actor
from core.errors import DomainError, NotFound
from sessions_app.owning.asking import asked, back
from triggers.owning.asking import own_actor


def may_run_commands(actor: Actor) -> bool:
    """Whether the hub starts programs for this owner."""
    owners = Account.objects.visible_to(actor).filter(pk=actor.account_id)
    return bool(owners.values_list("owner__may_run_commands", flat=True).first())


def row(request: HttpRequest, model: Any, pk: int) -> tuple[Actor, Any]:
    """Who asks, and his row. Raises NotFound for a foreign and an unknown one alike."""
    actor = own_actor(request)
    held = model.objects.visible_to(actor).filter(account_id=actor.account_id, pk=pk).first()
    if held is None:
        raise NotFound(_("That is not there, or no longer; look it up in the list."))
    return actor, held


def removal(
    request: HttpRequest, *, question: str, consequence: str, at: str, keep: str, remove: Callable[[], None], done: str
) -> HttpResponse:
    """Ask at `at`, in a dialog or as a page; then `remove` it and go back to `keep`."""
    if request.method != "POST":
        words = {"question": question, "consequence": consequence, "at": at, "keep": keep}
        return asked(request, "triggers/remove.html", question, **words)
    try:
        remove()
    except DomainError as error:
        return back(request, keep, error)
    return back(request, keep, done=done)
