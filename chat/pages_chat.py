"""The page Chat: what the agents tell each other, and the owner's word among them."""

import secrets
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from accounts.sessions import actor_from_request
from chat import actions, conversation, search
from chat.models import ChatSettings
from chat.topics import DEFAULT_TOPIC, TOPIC_LENGTH, is_topic
from chat.values import MOST_SEQ, Draft
from core.actor import Actor, Door
from core.errors import DomainError, NotFound
from core.pages import fragment, number_in, page

AT_ONCE = 50
TEMPLATE, COMPOSE = "chat/chat.html", "chat/compose.html"


class PostForm(forms.Form):
    """A message of the owner. `client_key` stores a form that is sent twice once."""

    body = forms.CharField(
        label=gettext_lazy("Your message"),
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "maxlength": 8192}),
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


def own_actor(request: HttpRequest) -> Actor:
    """The signed-in person in his own account; raises NotFound where he has none."""
    actor = actor_from_request(request, Door.PAGE)
    if actor.account_id is None:
        raise NotFound(_("You have no account of your own, and so no chat; sign in as an owner."))
    return actor


@require_safe
def chat_page(request: HttpRequest) -> HttpResponse:
    """The newest messages, of one topic or of all."""
    actor, topic = own_actor(request), _topic(request)
    found = conversation.older(actor, topic=topic, limit=AT_ONCE)
    return page(request, TEMPLATE, _title(topic), **_context(actor, request, topic), found=found)


@require_safe
def message_page(request: HttpRequest, seq: int) -> HttpResponse:
    """One message among its neighbours, at an address that stays."""
    actor = own_actor(request)
    found = conversation.around(actor, seq, limit=AT_ONCE)
    shown = {**_context(actor, request, None), "marked": seq}
    return page(request, TEMPLATE, _("Message #%(seq)s") % {"seq": seq}, **shown, found=found, standing=True)


@require_safe
def older_part(request: HttpRequest) -> HttpResponse:
    """The messages before a number, for scrolling upwards."""
    actor, topic = own_actor(request), _topic(request)
    found = conversation.older(actor, before=_number(request, "before"), topic=topic, limit=AT_ONCE)
    return fragment(request, "chat/older.html", found=found, messages=found.messages, topic=topic)


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
    shown = {"parent": _parent(actor, request), "topic": _topic(request)}
    return fragment(request, COMPOSE, form=_empty_form(request, _number(request, "reply_to")), **shown)


@require_POST
def post(request: HttpRequest) -> HttpResponse:
    """Store the owner's message; with htmx the form comes back, empty or with what to mend."""
    actor, form = own_actor(request), PostForm(request.POST)
    topic = _topic(request)
    if form.is_valid():
        try:
            receipt = actions.post_as_owner(actor, _draft(form))
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            if request.htmx:  # type: ignore[attr-defined]
                return fragment(request, COMPOSE, form=_empty_form(request), topic=topic, stored=receipt.seq)
            here = f"?{urlencode({'topic': topic})}" if topic else ""
            return redirect(f"{reverse('admin:chat')}{here}#m-{receipt.seq}")
    if request.htmx:  # type: ignore[attr-defined]
        return fragment(request, COMPOSE, form=form, parent=_parent(actor, request), topic=topic)
    found = conversation.older(actor, topic=topic, limit=AT_ONCE)
    return page(request, TEMPLATE, _title(topic), status=400, **{**_context(actor, request, topic), "form": form}, found=found)


def _draft(form: PostForm) -> Draft:
    given = form.cleaned_data
    return Draft(
        body=given["body"],
        session_name="",
        topic=None if given["reply_to"] else given["topic"] or None,
        reply_to=given["reply_to"],
        client_key=given["client_key"],
    )


def _context(actor: Actor, request: HttpRequest, topic: str | None) -> dict[str, Any]:
    kept = ChatSettings.objects.visible_to(actor).filter(account_id=actor.account_id).first()
    return {
        "topic": topic,
        "topics": conversation.topics(actor),
        "allowed": kept is None or kept.allowed,
        "form": _empty_form(request, _number(request, "reply_to")),
        "parent": _parent(actor, request),
        "latest": conversation.latest_seq(actor),
    }


def _empty_form(request: HttpRequest, reply_to: int | None = None) -> PostForm:
    topic = _topic(request) or DEFAULT_TOPIC
    return PostForm(initial={"topic": topic, "reply_to": reply_to, "client_key": secrets.token_hex(8)})


def _parent(actor: Actor, request: HttpRequest) -> Any:
    seq = _number(request, "reply_to")
    try:
        return None if seq is None else conversation.one(actor, seq)
    except NotFound:
        return None


def _title(topic: str | None) -> str:
    return topic or _("Chat")


def _given(request: HttpRequest, name: str) -> str:
    return request.GET.get(name) or request.POST.get(name) or ""


def _topic(request: HttpRequest) -> str | None:
    """The topic the page shows: in the address, for a post too. What is none shows all."""
    given = request.GET.get("topic", "")
    return given if is_topic(given) else None


def _number(request: HttpRequest, name: str) -> int | None:
    return number_in(_given(request, name))
