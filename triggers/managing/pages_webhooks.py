"""Webhooks on the page Push servers: made and renewed, with what is shown once; changed, removed."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.errors import DomainError
from core.pages import page
from sessions_app.owning.asking import asked, back, removal
from triggers.managing.asking import row
from triggers.managing.forms_servers import WebhookForm
from triggers.models import Webhook
from triggers.owning.asking import own_actor
from triggers.webhooks import actions
from triggers.webhooks.values import Shown

CURL = """body='{{"channel": "builds", "content": "Build 12 failed."}}'
now=$(date +%s)
signature=$(printf '%s.%s' "$now" "$body" |
  openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')
curl -H "Content-Type: application/json" \\
  -H "X-Tertulia-Timestamp: $now" \\
  -H "X-Tertulia-Signature: sha256=$signature" \\
  --data-raw "$body" {address}"""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def add_page(request: HttpRequest) -> HttpResponse:
    """The form of a new one; its address and its secret stand in the answer, and nowhere after."""
    actor = own_actor(request)
    form = WebhookForm(request.POST, held=None) if request.method == "POST" else WebhookForm(held=None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            shown = actions.make_webhook(actor, name=given["name"], kind=given["kind"], channel=given["channel"])
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            return _shown(request, shown, given["kind"])
    return _form_page(request, form, _("New webhook"))


@require_http_methods(["GET", "HEAD", "POST"])
def edit_page(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """The form of one that is there. Foreign and unknown are answered alike."""
    actor, held = row(request, Webhook, webhook_id)
    initial = {name: getattr(held, name) for name in ("name", "kind", "channel", "enabled")}
    data = request.POST if request.method == "POST" else None
    form = WebhookForm(data, initial=initial, held=held)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            actions.change_webhook(actor, held.name, channel=given["channel"], enabled=given["enabled"])
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            return back(request, reverse("admin:push-servers"), done=_("%(name)s is saved.") % {"name": held.name})
    return _form_page(request, form, _("Webhook %(name)s") % {"name": held.name})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def rotate_page(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Ask, then show the new address and the new secret, once."""
    actor, held = row(request, Webhook, webhook_id)
    if request.method != "POST":
        return asked(request, "triggers/webhook_rotate.html", _("New address and secret"), held=held)
    try:
        shown = actions.rotate_webhook(actor, held.name)
    except DomainError as error:
        return back(request, reverse("admin:push-servers"), error)
    return _shown(request, shown, held.kind)


@require_http_methods(["GET", "HEAD", "POST"])
def remove_page(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Ask, then remove it."""
    actor, held = row(request, Webhook, webhook_id)
    return removal(
        request,
        question=_("Remove the webhook %(name)s?") % {"name": held.name},
        consequence=_("Its address takes nothing any more. What it delivered stays in your inbox."),
        at=reverse("admin:webhook-remove", args=[held.pk]),
        keep=reverse("admin:push-servers"),
        remove=lambda: actions.remove_webhook(actor, held.name),
        done=_("%(name)s is removed.") % {"name": held.name},
    )


def _form_page(request: HttpRequest, form: WebhookForm, title: str) -> HttpResponse:
    return page(request, "pages/form.html", title, form=form, button=_("Save"), back=reverse("admin:push-servers"))


def _shown(request: HttpRequest, shown: Shown, kind: str) -> HttpResponse:
    title = _("Webhook %(name)s") % {"name": shown.name}
    curl = CURL.format(address=shown.address)
    return page(request, "triggers/webhook_shown.html", title, shown=shown, is_github=kind == Webhook.GITHUB, curl=curl)
