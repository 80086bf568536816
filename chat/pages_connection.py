"""The messages that came through one connection: what the connections page links to."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.overview import own_connections
from accounts.pages_connections import NO_CONNECTION
from chat import conversation, showing
from chat.pages_chat import own_actor
from chat.place import Place
from core.errors import NotFound
from core.pages import number_in, page

AT_ONCE = 50


@require_safe
def connection_messages(request: HttpRequest, connection_id: str) -> HttpResponse:
    """Newest first, in pages by number. Raises NotFound for a foreign, an unknown and a malformed id alike."""
    actor = own_actor(request)
    connection = own_connections(actor).filter(pk=connection_id).first()
    if connection is None:
        raise NotFound(_(NO_CONNECTION))
    found = conversation.older(actor, before=number_in(request.GET.get("before", "")), connection_id=connection.pk, limit=AT_ONCE)
    title = _("Messages of %(name)s") % {"name": connection.shown_name}
    shown = showing.messages(actor, Place(), found)
    newest_first = {"newest_first": found.messages[::-1], "first_new": None}
    return page(request, "chat/connection.html", title, connection=connection, **{**shown, **newest_first})
