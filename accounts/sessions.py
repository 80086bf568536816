"""The person behind a browser's session, as an actor."""

from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest

from core.actor import Actor, Door
from core.errors import Unauthenticated


def actor_from_request(request: HttpRequest, door: Door) -> Actor:
    """Who is signed in. Staff at the admin's door act on every account, everybody else on his own.

    Raises Unauthenticated where nobody active is signed in.
    """
    user = request.user
    if not user.is_authenticated or not user.is_active:
        raise Unauthenticated("Sign in first.")
    everywhere = user.is_staff and door is Door.ADMIN
    return Actor(
        door=door,
        account_id=None if everywhere else _account_id(user),
        user_id=user.pk,
        is_staff=user.is_staff,
        label=user.get_username(),
    )


def _account_id(user: object) -> int | None:
    try:
        return user.account.pk  # type: ignore[attr-defined, no-any-return]
    except ObjectDoesNotExist:
        return None
