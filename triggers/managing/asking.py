"""Who asks for a page of a push server, a webhook or a rule, and which one."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from core.actor import Actor
from core.errors import NotFound
from triggers.owning.asking import own_actor
from triggers.owning.reading import own


def row(request: HttpRequest, model: Any, pk: int) -> tuple[Actor, Any]:
    """Who asks, and his row. Raises NotFound for a foreign and an unknown one alike."""
    actor = own_actor(request)
    held = own(model, actor).filter(pk=pk).first()
    if held is None:
        raise NotFound(_("That is not there, or no longer; look it up in the list."))
    return actor, held
