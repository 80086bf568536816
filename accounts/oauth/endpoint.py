"""The shape every OAuth endpoint for programs shares: small bodies, JSON answers, CORS, never a traceback."""

import json
import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any, Literal

import structlog
from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.views.decorators.csrf import csrf_exempt

from accounts.throttle import Throttled
from core.locks import is_lock_timeout
from core.text import first_control_character

log = structlog.get_logger(__name__)
LARGEST_BODY = 64 * 1024
LONGEST_VALUE = 4096
LONGEST_HEADER = 2048
Body = Literal["form", "json", "none"]
CONTENT_TYPES = {"form": "application/x-www-form-urlencoded", "json": "application/json"}
CORS_HEADERS = "Authorization, Content-Type, Accept, MCP-Protocol-Version"
View = Callable[..., HttpResponse]


class OAuthError(Exception):
    """A refusal in the shape of RFC 6749 §5.2: a code of the specification and one sentence."""

    def __init__(self, error: str, description: str, status: int = 400, retry_after: int | None = None) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.status = status
        self.retry_after = retry_after

    def response(self) -> JsonResponse:
        """The answer."""
        answer = JsonResponse({"error": self.error, "error_description": self.description}, status=self.status)
        if self.retry_after is not None:
            answer["Retry-After"] = str(self.retry_after)
        return answer


def endpoint(*methods: str, body: Body = "none") -> Callable[[View], View]:
    """Make a view an endpoint for programs: it takes `methods`, a body of one kind, and may raise OAuthError."""

    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            answer = _answer(view, methods, body, request, *args, **kwargs)
            answer["Access-Control-Allow-Origin"] = "*"
            answer.headers.setdefault("Cache-Control", "no-store")
            answer.headers.setdefault("X-Content-Type-Options", "nosniff")
            return answer

        return inner

    return decorate


def _answer(view: View, methods: tuple[str, ...], body: Body, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    if request.method == "OPTIONS":
        return _preflight(methods)
    if request.method not in methods:
        answer = OAuthError("invalid_request", f"Use {' or '.join(methods)} here.", 405).response()
        answer["Allow"] = ", ".join((*methods, "OPTIONS"))
        return answer
    try:
        check_authorization(request)
        if request.method in {"POST", "PUT"}:
            check_body(request, body)
        return view(request, *args, **kwargs)
    except OAuthError as refusal:
        return refusal.response()
    except Throttled as refusal:
        return OAuthError("temporarily_unavailable", refusal.detail, 429, refusal.retry_after).response()
    except OperationalError as error:
        if is_lock_timeout(error):
            return OAuthError("temporarily_unavailable", "The hub is busy; send the same request again.", 503, 1).response()
        return _failure(request)
    except Exception:
        return _failure(request)


def _failure(request: HttpRequest) -> HttpResponse:
    log_id = secrets.token_hex(4)
    log.exception("oauth_endpoint_failed", path=request.path, log_id=log_id)
    description = f"The hub failed; tell whoever runs it to look for {log_id} in its log."
    return OAuthError("server_error", description, 500).response()


def _preflight(methods: tuple[str, ...]) -> HttpResponse:
    answer = HttpResponse(status=204)
    answer["Allow"] = answer["Access-Control-Allow-Methods"] = ", ".join((*methods, "OPTIONS"))
    answer["Access-Control-Allow-Headers"] = CORS_HEADERS
    answer["Access-Control-Max-Age"] = "600"
    return answer


def check_authorization(request: HttpRequest) -> None:
    """Raise OAuthError for a header that can hold no credentials."""
    header = request.META.get("HTTP_AUTHORIZATION", "")
    if len(header) > LONGEST_HEADER or not header.isascii() or not header.isprintable():
        raise OAuthError("invalid_client", "The Authorization header is malformed.", 401)


def check_body(request: HttpRequest, body: Body) -> None:
    """Raise OAuthError for a body that is too large, of another kind, or that cannot be read."""
    too_large = OAuthError("invalid_request", f"Send at most {LARGEST_BODY} bytes.", 413)
    declared = request.META.get("CONTENT_LENGTH") or "0"
    if not declared.isdecimal() or int(declared[:20]) > LARGEST_BODY:
        raise too_large
    try:
        if len(request.body) > LARGEST_BODY:
            raise too_large
        if request.body and body != "none" and request.content_type != CONTENT_TYPES[body]:
            raise OAuthError("invalid_request", f"Send the parameters as {CONTENT_TYPES[body]}.", 415)
        if body == "form":
            check_parameters(request)
    except RequestDataTooBig:
        raise too_large from None
    except (SuspiciousOperation, BadRequest, UnreadablePostError, MultiPartParserError, UnicodeError):
        raise OAuthError("invalid_request", "The body could not be read; send it again.") from None


def check_parameters(request: HttpRequest) -> None:
    """Raise OAuthError for a parameter given twice (but `resource`), too long, or with control characters."""
    for name, values in request.POST.lists():
        if len(values) > 1 and name != "resource":
            raise OAuthError("invalid_request", "Give each parameter once.")
        for text in (name, *values):
            if len(text) > LONGEST_VALUE or first_control_character(text) is not None:
                raise OAuthError("invalid_request", "A parameter is too long or holds control characters.")


def read_json(request: HttpRequest) -> dict[str, Any]:
    """The JSON object in the body; raises OAuthError."""
    try:
        data = json.loads(request.body)
    except (ValueError, RecursionError):
        raise OAuthError("invalid_client_metadata", "Send the client's metadata as a JSON object.") from None
    if not isinstance(data, dict):
        raise OAuthError("invalid_client_metadata", "Send the client's metadata as a JSON object.")
    return data


def relay(headers: dict[str, str], body: str | dict[str, Any] | None, status: int) -> HttpResponse:
    """What the library answered, as a response; its own CORS header gives way to ours."""
    text = body if isinstance(body, str) else json.dumps(body or {})
    answer = HttpResponse(text, status=status, content_type="application/json")
    for name, value in headers.items():
        if not name.lower().startswith(("access-control-", "content-type")):
            answer[name] = value
    return answer


def as_json(response: HttpResponseBase) -> dict[str, Any]:
    """The object in a JSON response of the library."""
    data: dict[str, Any] = json.loads(response.content)  # type: ignore[attr-defined]
    return data
