"""The door of webhooks: `POST /in/<token>`. No cookie counts here, and no page of ours posts to it."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts.throttle import Throttle, client_address
from core.api.problems import headers_of
from core.errors import DomainError, TooMany
from triggers.webhooks.actions import Refused, deliver
from triggers.webhooks.values import MOST_BYTES, Delivery

STRANGERS = Throttle("webhook-strangers", limit=120, seconds=60)
"""Deliveries that are refused, from one machine."""

DELIVERIES = Throttle("webhook", limit=600, seconds=60)
"""Deliveries to one address, whatever comes of them."""


class TooLarge(DomainError):
    """More than a webhook takes."""

    code = "too_large"
    status = 413


@csrf_exempt
@require_POST
def door(request: HttpRequest, token: str) -> HttpResponse:
    """Take one delivery; answers the number of its push message."""
    try:
        _let_in(request, token)
        seq = deliver(token, _delivery(request))
    except DomainError as refusal:
        return _refused(refusal)
    STRANGERS.give_back(client_address(request))
    return JsonResponse({"seq": seq}, status=202, headers={"Cache-Control": "no-store"})


def _let_in(request: HttpRequest, token: str) -> None:
    # Strangers first: who invents addresses begins no counter for each, which would push out others.
    wait = STRANGERS.hit(client_address(request))
    if not wait and (wait := DELIVERIES.hit(token)):
        STRANGERS.give_back(client_address(request))
    if wait:
        raise TooMany(f"Too many deliveries; wait {wait} seconds and send it again.", retry_after=wait)


def _delivery(request: HttpRequest) -> Delivery:
    headers = request.headers
    return Delivery(
        body=_body(request),
        signature=headers.get("X-Tertulia-Signature", ""),
        github_signature=headers.get("X-Hub-Signature-256", ""),
        timestamp=headers.get("X-Tertulia-Timestamp", ""),
        event=headers.get("X-GitHub-Event", ""),
        content_type=headers.get("Content-Type", ""),
    )


def _body(request: HttpRequest) -> bytes:
    """The body; raises TooLarge. Before Django the hub reads no more than this either (`project.asgi`)."""
    try:
        body = request.body
    except RequestDataTooBig:
        body = b"." * (MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise TooLarge(f"A delivery has at most {MOST_BYTES // 1024} KiB; send less.")
    return body


def _refused(refusal: DomainError) -> HttpResponse:
    told = Refused() if refusal.status == Refused.status else refusal
    return JsonResponse({"error": told.code, "detail": told.detail}, status=told.status, headers=headers_of(told))
