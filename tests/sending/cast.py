"""Two sessions that talk: the requester `main` of agent main, and a group as its target."""

from typing import Any

from sessions_app.models import Exchange, Run, Session, SessionSettings
from sessions_app.sending.actions import send
from sessions_app.sending.values import Sent
from tests import make, play

MAIN = "agent:main:main"
GROUP = "agent:main:whatsapp:group:g1"
LONG = 10.0


def pair(who: make.Person, **target: Any) -> tuple[Session, Session]:
    """The requester and the target, with runners that nobody but the test plays."""
    make.hub_agent(who, runner="connected")
    return make.session(who), make.session(who, GROUP, channel="whatsapp", **target)


def settings(who: make.Person, **changes: Any) -> None:
    """Change the account's settings by rows."""
    SessionSettings.objects.filter(pk=who.account.pk).update(**changes)


def sent(who: make.Person, requester: Session, target: Session, message: str = "how many?", **more: Any) -> tuple[Exchange, Run]:
    """Send as the requester; without a wait unless told."""
    given = {"waits": False, **more}
    return send(make.in_session(who, requester), requester=requester, target=target, message=message, **given)


def waiting(who: make.Person, **more: Any) -> tuple[Session, Session, Sent]:
    """The two, and a message whose requester waits for the answer."""
    requester, target = pair(who)
    exchange, begun = sent(who, requester, target, waits=True, **more)
    message = Sent(
        exchange=exchange.pk, run=begun.pk, run_id=begun.run_id, key=begun.session.key, silent=exchange.silent, held=False
    )
    return requester, target, message


def purposes(who: make.Person) -> list[tuple[str, str]]:
    """Every run of the account, oldest first: purpose and session."""
    return list(Run.objects.filter(account=who.account).order_by("pk").values_list("purpose", "session__key"))


def answer_all(who: make.Person, *replies: str) -> list[Run]:
    """Answer what is queued, one after another, until nothing is; the last reply is given again and again."""
    done: list[Run] = []
    while waiting := play.queued(who):
        done.append(play.answer(waiting[0], replies[min(len(done), len(replies) - 1)]))
        assert len(done) < 30, "it never ends"
    return done
