"""Who calls a REST door: an agent by its token, or a person by a browser's session and its CSRF token."""

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, CSRFCheck
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts import bearer
from accounts.api_limits import check_pace_of
from accounts.challenge import bearer_challenge, token_from
from accounts.proofs.tokens import is_owners, owner_with
from accounts.sessions import actor_from_cookies, actor_from_request
from core import executors
from core.actor import Actor, Door
from core.errors import DomainError, Forbidden, Unauthenticated
from core.mounts import Scope, headers_of

NOBODY = "Send an access token in the Authorization header, or sign in first."


class BearerAuthentication(BaseAuthentication):
    """An agent's access token, or an owner's; a token that is none is refused, whatever cookies come with it."""

    def authenticate(self, request: Request) -> tuple[Any, Actor] | None:
        """The actor as `request.auth`. Raises Unauthenticated."""
        token = token_from(request.META.get("HTTP_AUTHORIZATION"))
        if token is None:
            return None
        if is_owners(token):
            return AnonymousUser(), owner_with(token)
        identity = bearer.authenticate(token)
        bearer.usage.note(identity.connection_id)
        if identity.unused:
            bearer.usage.begin(identity)
        return AnonymousUser(), identity.actor(Door.API)

    def authenticate_header(self, request: Request) -> str:
        """The challenge of a 401."""
        return challenge_to(request.META.get("HTTP_AUTHORIZATION"))


class SessionAuthentication(BaseAuthentication):
    """Whoever is signed in to the pages, with the CSRF token where something changes."""

    def authenticate(self, request: Request) -> tuple[Any, Actor] | None:
        """The actor as `request.auth`. Raises Unauthenticated, Forbidden."""
        http: HttpRequest = request._request
        if not http.user.is_authenticated:
            return None
        _require_csrf(http)
        return http.user, at_the_api(actor_from_request(http, Door.API))


def at_the_api(person: Actor) -> Actor:
    """A person at these doors acts on his own account as at a page; staff see no other here."""
    return replace(person, is_staff=False)


def _require_csrf(http: HttpRequest) -> None:
    check = CSRFCheck(lambda request: None)  # type: ignore[arg-type]
    check.process_request(http)
    if check.process_view(http, None, (), {}):  # type: ignore[arg-type]
        raise Forbidden(
            "Send the CSRF token of your session: the value of the cookie "
            f"{settings.CSRF_COOKIE_NAME} in the header X-CSRFToken, from a page of this hub.",
            code="csrf_failed",
        )


def challenge_to(authorization: str | None, refusal: DomainError | None = None) -> str:
    """The `WWW-Authenticate` of a 401: what was wrong with the token, if one came."""
    if token_from(authorization) is None:
        return bearer_challenge()
    return bearer_challenge(error="invalid_token", detail=refusal.detail if refusal else bearer.REFUSAL)


async def caller_of(scope: Scope) -> Actor:
    """Who calls a door beside Django that changes nothing: by an agent's or an owner's token, else by session. Raises
    Unauthenticated."""
    headers = headers_of(scope)
    token = token_from(headers.get("authorization"))
    if token is not None and is_owners(token):
        return await executors.read(owner_with, token)
    if token is not None:
        return await bearer.actor_behind(token, Door.API)
    return await executors.read(_person_behind, headers.get("cookie", ""))


def _person_behind(cookie: str) -> Actor:
    """The person signed in by this `Cookie` header; asks the database. Raises Unauthenticated."""
    try:
        return at_the_api(actor_from_cookies(cookie, Door.API))
    except Unauthenticated:
        raise Unauthenticated(NOBODY, code="token_missing") from None


class CallerThrottle(BaseThrottle):
    """So many calls a minute of one connection or person."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Raises Throttled past the limit."""
        if isinstance(request.auth, Actor):  # SignedIn has refused everybody else
            check_pace_of(request.auth)
        return True


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[misc]
    """How the description of the API tells of tokens."""

    target_class = BearerAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """The scheme."""
        told = (
            "An OAuth access token of an agent's connection; the address of the authorization server comes with every 401. Or an "
            "owner's token (`POST /api/proof/`), which for five minutes acts as the owner in person."
        )
        return {"type": "http", "scheme": "bearer", "description": told}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[misc]
    """How the description of the API tells of sessions."""

    target_class = SessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """The scheme."""
        told = "A person signed in to the hub's pages; what changes something needs the header X-CSRFToken too."
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME, "description": told}
