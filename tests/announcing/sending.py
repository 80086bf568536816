"""Routes and announcements that tests begin with."""

from sessions_app.announcing.actions import announce, save_route
from sessions_app.models import Announcement, Route, Session
from tests import make
from tests.announcing.messenger import Messenger


def phone_route(who: make.Person, phone: Messenger, channel: str = "discord", **more: object) -> Route:
    """A route of the owner to the messenger on loopback."""
    given = {"address": phone.address(), **more}
    return save_route(who.actor, account_id=who.account.pk, channel=channel, **given)  # type: ignore[arg-type]


def put(session: Session, text: str = "hello", cause: str = "cause") -> Announcement | None:
    """An announcement on its way."""
    return announce(session, text, cause=cause, run=None)


def sure(made: Announcement | None) -> Announcement:
    """It was put on its way."""
    assert made is not None
    return made
