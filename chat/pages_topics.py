"""What the owner does about topics on the page Chat: create, archive, take back, and note what he has read."""

from urllib.parse import parse_qsl

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from chat import showing
from chat.cursors.actions import MOST_TOPICS, mark_read
from chat.pages_chat import TopicForm, chat, own_actor
from chat.place import Place, place_in
from chat.topics_owned import actions
from core.actor import Actor
from core.errors import DomainError
from core.pages import fragment, number_in, person


@require_POST
def open_topic(request: HttpRequest) -> HttpResponse:
    """Create a topic and show it."""
    actor, form = own_actor(request), TopicForm(request.POST)
    if form.is_valid():
        try:
            topic = actions.open_topic(actor, name=form.cleaned_data["name"])
        except DomainError as error:
            form.add_error("name", error.detail)
        else:
            return redirect(Place(topic=topic.name).address)
    return chat(request, actor, Place(), topic_form=form, status=400)


@require_POST
def archive_topic(request: HttpRequest) -> HttpResponse:
    """Archive a topic, or take it out of the archive, and show it."""
    actor, topic, archived = own_actor(request), request.POST.get("topic", ""), "archived" in request.POST
    actions.archive_topic(actor, name=topic, archived=archived)
    done = _("The topic %(topic)s is archived.") if archived else _("The topic %(topic)s takes posts again.")
    messages.success(request, done % {"topic": topic})
    return redirect(Place(topic=topic).address)


@require_safe
def badge_part(request: HttpRequest) -> HttpResponse:
    """How many messages mention the owner that he has not read, for the navigation to renew."""
    return fragment(request, "chat/badge_count.html", count=showing.unread_mentions(person(request)))


@require_POST
def read(request: HttpRequest) -> HttpResponse:
    """Note what the owner has read: `read`, as often as there are topics, holds a topic and a number; or `all` up to a number."""
    actor, everything = own_actor(request), number_in(request.POST.get("all", ""))
    if everything is None:
        mark_read(actor, _told(request.POST.getlist("read")))
        return HttpResponse(status=204)
    mark_read(actor, _all(actor, everything))
    return redirect(place_in(dict(parse_qsl(request.POST.get("place", "")))).address)


def _told(pairs: list[str]) -> dict[str, int]:
    """The topics with their numbers; what is no pair is left out."""
    told: dict[str, int] = {}
    for pair in pairs:
        topic, _space, number = pair.partition(" ")
        seq = number_in(number)
        if seq is not None:
            told[topic] = max(seq, told.get(topic, 0))
    return told


def _all(actor: Actor, most: int) -> dict[str, int]:
    unread = [line for line in showing.topics(actor, Place())["topics"] if line.unread]
    return {line.topic: min(line.last_seq, most) for line in unread[:MOST_TOPICS]}
