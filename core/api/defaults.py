"""What REST framework uses by default here; apart from the views, because the library's views load it."""

from typing import Any

from rest_framework import exceptions
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from core.actor import Actor
from core.bodies import decode_json
from core.errors import Unauthenticated


class JsonParser(BaseParser):
    """Strict JSON in UTF-8; text that is half a character is none."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """The value; raises ParseError."""
        try:
            return decode_json(stream.read())
        except ValueError:
            raise exceptions.ParseError from None


class AlwaysJson(BaseContentNegotiation):
    """There is one form of answer, so what a caller would rather have is not asked."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        """The one that takes the body's type."""
        kind = str(request.content_type or "").partition(";")[0].strip().lower()
        return next((each for each in parsers if each.media_type == kind), None)

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        """The only one."""
        return renderers[0], renderers[0].media_type


class SignedIn(BasePermission):
    """Whoever came with a sound token or session."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Raises Unauthenticated for nobody."""
        if not isinstance(request.auth, Actor):
            raise Unauthenticated("Send an access token in the Authorization header, or sign in first.", code="token_missing")
        return True
