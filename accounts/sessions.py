"""The person behind a browser's session, as an actor."""

from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, parse_cookie

from core.actor import Actor, Door
from core.errors import Unauthenticated


def actor_from_request(request: HttpRequest, door: Door) -> Actor:
    """Who is signed in. Staff at the admin's door act on every account, everybody else on his own.

    Raises Unauthenticated where nobody active is signed in.
    """
    user = request.user
    held: dict[Door, tuple[object, Actor]] = request.__dict__.setdefault("_actors", {})  # a page's frame asks a hundred times
    if door in held and held[door][0] is user:
        return held[door][1]
    if not user.is_authenticated or not user.is_active:
        raise Unauthenticated("Sign in first.")
    everywhere = user.is_staff and door is Door.ADMIN
    actor = Actor(
        door=door,
        account_id=None if everywhere else _account_id(user),
        user_id=user.pk,
        is_staff=user.is_staff,
        label=user.get_username(),
    )
    held[door] = user, actor
    return actor


def actor_from_cookies(cookie: str, door: Door) -> Actor:
    """Who is signed in by this `Cookie` header, for doors that stand beside Django; asks the database. Raises Unauthenticated."""
    return actor_from_request(request_from_cookies(cookie), door)


def request_from_cookies(cookie: str) -> HttpRequest:
    """A request of whoever is signed in by this `Cookie` header, so that what takes requests can be asked."""
    request = HttpRequest()
    request.COOKIES = parse_cookie(cookie)
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    request.user = get_user(request)
    return request


def _account_id(user: object) -> int | None:
    try:
        return user.account.pk  # type: ignore[attr-defined, no-any-return]
    except ObjectDoesNotExist:
        return None
