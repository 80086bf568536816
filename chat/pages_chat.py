"""The page Chat: what the agents tell each other, and the owner's word among them."""

import secrets
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from accounts.sessions import actor_from_request
from chat import actions, conversation, search, showing
from chat.conversation import Stretch, TopicLine
from chat.models import ChatSettings
from chat.place import Place, place_in
from chat.topics import DEFAULT_TOPIC, TOPIC_LENGTH
from chat.values import MOST_SEQ, Draft, Entry
from core.actor import Actor, Door
from core.errors import DomainError, NotFound
from core.pages import fragment, number_in, page

AT_ONCE = 50
TEMPLATE, COMPOSE = "chat/chat.html", "chat/compose.html"


COMPLETED = {
    "aria-autocomplete": "list",
    "data-names": "mention-names",
    "data-names-label": gettext_lazy("Whom you can mention"),
}
"""What `names.js` completes an @name by."""


class PostForm(forms.Form):
    """A message of the owner. `client_key` stores a form that is sent twice once."""

    body = forms.CharField(
        label=gettext_lazy("Your message"),
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "maxlength": 8192, **COMPLETED}),
        error_messages={"required": gettext_lazy("The message is empty; write something.")},
    )
    topic = forms.CharField(
        label=gettext_lazy("Topic"),
        required=False,
        max_length=TOPIC_LENGTH,
        widget=UnfoldAdminTextInputWidget(attrs={"list": "topic-names", "autocomplete": "off", "spellcheck": "false"}),
    )
    reply_to = forms.IntegerField(required=False, min_value=1, max_value=MOST_SEQ, widget=forms.HiddenInput)
    client_key = forms.CharField(max_length=64, widget=forms.HiddenInput)

    def clean_body(self) -> str:
        """With the line ends of the database; blanks alone are no message."""
        body: str = self.cleaned_data["body"].replace("\r\n", "\n")
        if not body.strip():
            raise forms.ValidationError(self.fields["body"].error_messages["required"])
        return body


class TopicForm(forms.Form):
    """A topic to create."""

    name = forms.CharField(
        label=gettext_lazy("Its name"),
        max_length=TOPIC_LENGTH,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        help_text=gettext_lazy("For example docs/review: a-z 0-9 . _ / -"),
    )


def own_actor(request: HttpRequest) -> Actor:
    """The signed-in person in his own account; raises NotFound where he has none."""
    actor = actor_from_request(request, Door.PAGE)
    if actor.account_id is None:
        raise NotFound(_("You have no account of your own, and so no chat; sign in as an owner."))
    return actor


@require_safe
def chat_page(request: HttpRequest) -> HttpResponse:
    """The newest messages, of one topic or of all."""
    actor, place = own_actor(request), place_in(request.GET)
    return chat(request, actor, Place(topic=place.topic))


@require_safe
def thread_page(request: HttpRequest, seq: int) -> HttpResponse:
    """One thread: the message that opened it and its replies. A reply's number leads to the thread it lies in."""
    actor, place = own_actor(request), Place(thread=seq)
    given = _one(actor, seq)
    if given is not None and given.thread != seq:
        return redirect(f"{Place(thread=given.thread).address}#m-{seq}")
    found = _stretch(actor, place)
    if not found.messages:
        raise NotFound(_("There is no thread #%(seq)d; it was cleaned up, or never was.") % {"seq": seq})
    return chat(request, actor, place, found=found)


@require_safe
def message_page(request: HttpRequest, seq: int) -> HttpResponse:
    """One message among its neighbours, at an address that stays."""
    actor = own_actor(request)
    found = conversation.around(actor, seq, limit=AT_ONCE)
    return chat(request, actor, Place(), found=found, title=_("Message #%(seq)s") % {"seq": seq}, marked=seq, standing=True)


@require_safe
def older_part(request: HttpRequest) -> HttpResponse:
    """The messages before a number, for scrolling upwards."""
    actor, place = own_actor(request), place_in(request.GET)
    found = _stretch(actor, place, before=_number(request, "before"))
    return fragment(request, "chat/older.html", **showing.messages(actor, place, found))


@require_safe
def search_page(request: HttpRequest) -> HttpResponse:
    """Messages that hold all the words, newest first."""
    actor, words = own_actor(request), request.GET.get("q", "")
    found, refusal = None, ""
    try:
        found = search.search(actor, words, before=_number(request, "before"), limit=AT_ONCE) if words else None
    except DomainError as error:
        refusal = error.detail
    return page(request, "chat/search.html", _("Search the chat"), words=words, found=found, refusal=refusal)


@require_safe
def compose_part(request: HttpRequest) -> HttpResponse:
    """The form alone, for an answer to `reply_to` or for none."""
    actor = own_actor(request)
    return fragment(request, COMPOSE, **_composing(actor, request, place_in(request.GET)))


@require_POST
def post(request: HttpRequest) -> HttpResponse:
    """Store the owner's message; with htmx the form comes back, empty or with what to mend."""
    actor, form, place = own_actor(request), PostForm(request.POST), place_in(request.GET)
    if form.is_valid():
        try:
            receipt = actions.post_as_owner(actor, _draft(form, place))
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            if request.htmx:  # type: ignore[attr-defined]
                return fragment(request, COMPOSE, form=_empty_form(place), place=place, stored=receipt)
            return redirect(f"{place.address}#m-{receipt.seq}")
    if request.htmx:  # type: ignore[attr-defined]
        return fragment(request, COMPOSE, **{**_composing(actor, request, place), "form": form})
    return chat(request, actor, place, form=form, status=400)


def _draft(form: PostForm, place: Place) -> Draft:
    given = form.cleaned_data
    is_reply = given["reply_to"] is not None
    return Draft(
        body=given["body"],
        session_name="",
        topic=None if is_reply or place.thread else given["topic"] or None,
        thread=None if is_reply else place.thread,
        reply_to=given["reply_to"],
        client_key=given["client_key"],
    )


def chat(
    request: HttpRequest,
    actor: Actor,
    place: Place,
    *,
    found: Stretch | None = None,
    title: str = "",
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """The whole page: topics, messages, and the form to post with. `more` stands in for what would be shown by itself."""
    shown = _stretch(actor, place) if found is None else found
    kept = ChatSettings.objects.visible_to(actor).filter(account_id=actor.account_id).first()
    beside = showing.topics(actor, place)
    context = {
        **beside,
        "missed": _missed(beside["topics"], place, shown),
        **showing.messages(actor, place, shown),
        **_composing(actor, request, place),
        "allowed": kept is None or kept.allowed,
        "latest": conversation.latest_seq(actor),
        "names": showing.names(actor),
        "topic_form": TopicForm(),
        "opener": _one(actor, place.thread) if place.thread else None,
    }
    return page(request, TEMPLATE, title or _title(place), status=status, **{**context, **more})


def _missed(lines: list[TopicLine], place: Place, shown: Stretch) -> int | None:
    """The first message of a topic that the owner has not read, where it lies before what is shown."""
    first = next((line.first_unread for line in lines if line.topic == place.topic), None)
    return first if first is not None and shown.messages and first < shown.messages[0].seq else None


def _stretch(actor: Actor, place: Place, before: int | None = None) -> Stretch:
    return conversation.older(actor, before=before, topic=place.topic, thread=place.thread, limit=AT_ONCE)


def _composing(actor: Actor, request: HttpRequest, place: Place) -> dict[str, Any]:
    reply_to = _number(request, "reply_to")
    parent = None if reply_to is None else _one(actor, reply_to)
    return {"form": _empty_form(place, reply_to), "parent": parent, "place": place}


def _empty_form(place: Place, reply_to: int | None = None) -> PostForm:
    topic = place.topic or DEFAULT_TOPIC
    return PostForm(initial={"topic": topic, "reply_to": reply_to, "client_key": secrets.token_hex(8)})


def _one(actor: Actor, seq: int) -> Entry | None:
    try:
        return conversation.one(actor, seq)
    except NotFound:
        return None


def _title(place: Place) -> str:
    return _("Thread #%(seq)s") % {"seq": place.thread} if place.thread else place.topic or _("Chat")


def _number(request: HttpRequest, name: str) -> int | None:
    return number_in(request.GET.get(name) or request.POST.get(name) or "")
