"""The base of every REST view, and what it declares of itself."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import BaseModel
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.defaults import JsonParser
from core.api.input import Malformed, Query, from_body, from_query
from core.api.problems import MEDIA_TYPE, ApiRefusal, ProblemOut, problem
from core.errors import Invalid

Answer = tuple[int, BaseModel | None]
Method = Callable[..., Answer]
View = Callable[..., Response]
ALWAYS = {
    400: "Malformed: an unknown parameter or field, or one that does not fit; `fields` says which",
    401: "No token and no session, or one that no longer opens a door",
    421: "Asked at another address than the hub's own",
    429: "Too many calls; `Retry-After` says when to come back",
    500: "A failure of the hub; the answer names a line of its log",
    503: "The database is busy and nothing was stored; `Retry-After` says when to come back",
}
WITH_BODY = {
    408: "The body came too slowly",
    413: "The body is too large",
    415: "The body is no JSON",
}
SAID = {
    400: ("invalid", "page_size takes a number up to 100."),
    401: ("invalid_token", "This access token is unknown, expired or revoked; sign in again."),
    403: ("forbidden", "You act in no account; name the account you mean."),
    404: ("not_found", "There is no message #12; it was cleaned up, or never was."),
    408: ("body_refused", "The body came too slowly; send the request again."),
    409: ("client_key_used", "client_key was used for message #12 with other content; choose a new one."),
    410: ("launch_ended", "This launch has ended; start the agent anew with tertulia launch."),
    413: ("body_refused", "A request has at most 2621440 bytes; send less."),
    415: ("unsupported_media_type", "Send the body as JSON, with Content-Type: application/json."),
    421: ("misdirected", "This hub answers at http://127.0.0.1:8760; use that address."),
    429: ("rate_limited", "Too many tries; wait 30 seconds and try again."),
    500: ("internal_error", "Something went wrong in the hub; tell whoever runs it to look for 5e1f0a9c in its log."),
    503: ("busy", "The hub is busy and nothing was stored; try again in a few seconds."),
    507: ("storage_full", "The account's chat is full at 67108864 bytes; ask the owner to keep fewer days of it."),
}
"""An example of each refusal, for whoever reads the description."""
WITHOUT_TOKEN = {403: "Sent with a session and without its CSRF token"}
OWNER_ONLY = {
    403: "No owner in person: a token, or a session without its CSRF token. "
    "A terminal gives the owner's proof of `POST /api/proof/`"
}


class NoQuery(Query):
    """No parameters."""


class HubView(APIView):
    """A view whose methods are declared by `operation`; its settings are `REST_FRAMEWORK` in project/settings.py."""

    metadata_class = None
    http_method_names = ["get", "head", "post", "delete"]


class Nowhere(HubView):
    """Every address under /api/ that is none."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse, whatever the method, whoever is known."""
        super().initial(request, *args, **kwargs)
        raise Http404


def operation(
    operation_id: str,
    summary: str,
    *,
    tag: str,
    answers: Mapping[int, tuple[type[BaseModel] | None, str]],
    description: str = "",
    query: type[Query] = NoQuery,
    body: type[BaseModel] | None = None,
    refusals: Mapping[int, str] | None = None,
    path: Iterable[OpenApiParameter] = (),
) -> Callable[[Method], View]:
    """Declare a method of a HubView: what it takes is checked by it, and described, from the same models.

    The method is called with `(request, actor, query, [body,] **path)` and answers `(status, model)`. `answers` and
    `refusals` name every status beside those of ALWAYS and WITH_BODY.
    """

    def declare(method: Method) -> View:
        @wraps(method)
        def call(view: HubView, request: Request, **places: Any) -> Response:
            given: dict[str, Any] = {"query": from_query(query, _pairs(request))}
            if body is not None:
                _require_json(request)
                given["body"] = from_body(body, request.data)
            elif request.method not in {"GET", "HEAD"}:
                _no_body(request)
            with _named_fields(body or query):
                status, answer = method(view, request, request.auth, **given, **places)
            told = None if answer is None else answer.model_dump(mode="json")
            return Response(told, status, headers={"Cache-Control": "no-store"})

        statuses = dict(sorted({**ALWAYS, **(WITH_BODY if body else {}), **(refusals or {})}.items()))
        shapes: dict[Any, Any] = {(code, "application/json"): OpenApiResponse(*each) for code, each in answers.items()}
        shapes |= {(code, MEDIA_TYPE): _refused(code, words) for code, words in statuses.items()}
        describe = extend_schema(
            operation_id=operation_id,
            summary=summary,
            description=description,
            tags=[tag],
            parameters=[*path, *parameters_of(query)],
            request=body,
            responses=shapes,
        )
        described: View = describe(call)
        return described

    return declare


def _refused(status: int, words: str) -> OpenApiResponse:
    code, detail = SAID[status]
    value = problem(ApiRefusal(status, detail, code=code))
    return OpenApiResponse(ProblemOut, words, examples=[OpenApiExample(code, value, media_type=MEDIA_TYPE)])


def parameters_of(query: type[Query]) -> list[OpenApiParameter]:
    """The model's fields as parameters of an address; one that may be left out needs no null there."""
    schema = query.model_json_schema()
    kept, needed = schema.get("$defs", {}), schema.get("required", [])
    return [
        OpenApiParameter(name, _plain(each, kept), required=name in needed, description=each.pop("description", ""))
        for name, each in schema.get("properties", {}).items()
    ]


def _plain(schema: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """Without null, titles and references, and with bounds under their names in JSON Schema."""
    kinds = [each for each in schema.pop("anyOf", []) if each.get("type") != "null"]
    schema.update(kinds[0] if kinds else {})
    schema.update(kept.get(schema.pop("$ref", "").rpartition("/")[2], {}))
    if schema.get("default", ...) in (None, []):
        del schema["default"]
    plain = {"minimum": schema.pop("ge", None), "maximum": schema.pop("le", None)}
    schema.update({name: bound for name, bound in plain.items() if bound is not None})
    schema.pop("title", None)
    return schema


def _pairs(request: Request) -> list[tuple[str, str]]:
    return [(name, value) for name, values in request.query_params.lists() for value in values]


def _require_json(request: Request) -> None:
    """The library asks for a parser only where a body is left to read, which a form that Django read is not."""
    kind = str(request.content_type or "").partition(";")[0].strip().lower()
    if kind != JsonParser.media_type and request.META.get("CONTENT_LENGTH") not in {None, "", "0"}:
        raise exceptions.UnsupportedMediaType(kind)


def _no_body(request: Request) -> None:
    if request.body not in (b"", b"{}"):
        raise Malformed("This address takes no body; send none.", fields={})


class _named_fields:
    """Within, a refusal whose code names a field, as `invalid_topic` does, says so in `fields` too."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._model = model

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Invalid) and not isinstance(error, Malformed):
            name = error.code.removeprefix("invalid_")
            if name != error.code and name in self._model.model_fields:
                raise Malformed(error.detail, fields={name: [error.detail]}, code=error.code) from None
