"""Who asks for a page of the push inbox."""

from django.http import HttpRequest
from django.utils.translation import gettext as _

from core.actor import Actor
from core.errors import NotFound
from core.pages import person


def own_actor(request: HttpRequest) -> Actor:
    """The signed-in person in his own account; raises NotFound where he has none."""
    actor = person(request)
    if actor.account_id is None:
        raise NotFound(_("You have no account of your own, and so no push inbox; sign in as an owner."))
    return actor
