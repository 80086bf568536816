"""Refusals at the REST doors: `application/problem+json` (RFC 9457), one shape everywhere under /api/."""

import secrets
from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import Http404
from django.http.multipartparser import MultiPartParserError
from pydantic import BaseModel, Field
from rest_framework import exceptions
from rest_framework.response import Response
from starlette.responses import JSONResponse

from core.api.input import Malformed
from core.errors import Busy, DomainError, Invalid, NotFound
from core.locks import is_lock_timeout
from core.refusals import note, notes

MEDIA_TYPE = "application/problem+json"
PREFIX = "/api/"
log = structlog.get_logger("api")


class ProblemOut(BaseModel):
    """A refusal: what went wrong, and what to do next."""

    type: str = Field(default="about:blank", description="Always about:blank: `title` is the status's own")
    title: str = Field(description="The status in words", examples=["Forbidden"])
    status: int = Field(examples=[403])
    detail: str = Field(description="One sentence for a person", examples=["The owner has switched agent chat off."])
    error: str = Field(description="A code for programs; it does not change", examples=["account_chat_disabled"])
    fields: dict[str, list[str]] | None = Field(default=None, description="What is wrong with which field or parameter")


class ApiRefusal(DomainError):
    """A refusal of HTTP's own kind, such as a method that is not taken."""

    def __init__(self, status: int, detail: str, *, code: str) -> None:
        super().__init__(detail, code=code)
        self.status = status


def problem(refusal: DomainError) -> dict[str, Any]:
    """The body of the answer."""
    fields = refusal.fields if isinstance(refusal, Malformed) and refusal.fields else None
    told = ProblemOut(
        title=HTTPStatus(refusal.status).phrase,
        status=refusal.status,
        detail=refusal.detail,
        error=refusal.code,
        fields=fields,
    )
    return told.model_dump(exclude_none=True)


def headers_of(refusal: DomainError, challenge: str | None = None) -> dict[str, str]:
    """The headers that go with a refusal; `challenge` is the `WWW-Authenticate` of a 401."""
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if refusal.retry_after is not None:
        headers["Retry-After"] = str(refusal.retry_after)
    if refusal.status == HTTPStatus.UNAUTHORIZED and challenge:
        headers["WWW-Authenticate"] = challenge
    return headers


def asgi_problem(refusal: DomainError, challenge: str | None = None) -> JSONResponse:
    """The answer of a door beside Django."""
    return JSONResponse(problem(refusal), refusal.status, headers_of(refusal, challenge), media_type=MEDIA_TYPE)


def plain_refusal(path: str, status: int, code: str, detail: str) -> JSONResponse:
    """The answer of a gate before all doors: a problem under /api/, `{"error", "detail"}` elsewhere."""
    if path.startswith(PREFIX):
        return asgi_problem(ApiRefusal(status, detail, code=code))
    return JSONResponse({"error": code, "detail": detail}, status)


def exception_handler(exception: Exception, context: dict[str, Any]) -> Response:
    """What REST framework calls for whatever a view raised; nothing of an exception's own text is answered."""
    refusal = refusal_of(exception)
    if refusal.code in notes:
        note(context["request"].auth, refusal)
    challenge = context["view"].get_authenticate_header(context["request"])
    headers = headers_of(refusal, challenge)
    if isinstance(exception, exceptions.MethodNotAllowed):
        headers["Allow"] = ", ".join(context["view"].allowed_methods)
    return Response(problem(refusal), refusal.status, headers=headers, content_type=MEDIA_TYPE)


def refusal_of(exception: Exception) -> DomainError:
    """The refusal that stands for an exception; one nobody foresaw is logged under an id that the answer names."""
    if isinstance(exception, DomainError):
        return exception
    if is_lock_timeout(exception):
        return Busy("The hub is busy and nothing was stored; try again in a few seconds.")
    if isinstance(exception, Http404):
        return NotFound("There is nothing at this address; /api/docs/ lists them all, and each ends with a slash.")
    if isinstance(exception, SuspiciousOperation):
        return Invalid("The request is malformed; send fewer and simpler parameters.")
    if isinstance(exception, exceptions.MethodNotAllowed):
        return ApiRefusal(405, "This address does not take that method; see /api/docs/.", code="method_not_allowed")
    if isinstance(exception, (exceptions.UnsupportedMediaType, BadRequest, MultiPartParserError)):
        return ApiRefusal(415, "Send the body as JSON, with Content-Type: application/json.", code="unsupported_media_type")
    if isinstance(exception, exceptions.ParseError):
        return Invalid("The body is no JSON in UTF-8; send one JSON object.")
    return went_wrong()


def went_wrong() -> DomainError:
    """The answer to a failure of the hub's own; called where the exception is being handled."""
    log_id = secrets.token_hex(4)
    log.exception("api_failed", log_id=log_id)
    return ApiRefusal(
        500, f"Something went wrong in the hub; tell whoever runs it to look for {log_id} in its log.", code="internal_error"
    )
