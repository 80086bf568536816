"""The description of the REST doors, for programs and for people. It holds no secret, so it is open to everybody."""

import json
from functools import cache

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator


@cache
def described() -> bytes:
    """The OpenAPI document; it is the same as long as the process runs."""
    return json.dumps(SchemaGenerator().get_schema(request=None, public=True), ensure_ascii=False).encode()


@require_safe
@cache_control(max_age=300)
def schema(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document as JSON."""
    return HttpResponse(described(), content_type="application/json")


@require_safe
@never_cache
def docs(request: HttpRequest) -> HttpResponse:
    """The document to read and to try out, by Swagger UI from the hub's own files."""
    return render(request, "api/docs.html", {"csrf": get_token(request) if request.user.is_authenticated else ""})
