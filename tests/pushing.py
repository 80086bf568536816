"""What tests of the push inbox make: push servers, push messages, rules."""

from typing import Any

from core import clock
from tests import make
from triggers.inbox.actions import store
from triggers.models import PushMessage, PushServer
from triggers.rules.actions import save
from triggers.values import Arrival, RuleDraft


def server(who: make.Person, name: str = "lights", **more: Any) -> PushServer:
    """A push server of `who`, by its row alone; on Streamable HTTP unless told otherwise."""
    given = {"transport": PushServer.HTTP, "url": f"https://{name}.example.org/mcp", "created_at": clock.now()}
    return PushServer.objects.create(account=who.account, name=name, **given | more)


def arrival(content: str = "hello", channel: str = "alerts", server: str = "prom", **more: Any) -> Arrival:
    """What a listener would store."""
    return Arrival(server=server, channel=channel, content=content, **{"received_at": clock.now(), **more})


def pushed(who: make.Person, content: str = "hello", channel: str = "alerts", server: str = "prom", **more: Any) -> PushMessage:
    """A push message that arrived now."""
    return store(who.account.pk, [arrival(content, channel, server, **more)])[0]


def push_many(who: make.Person, count: int, channel: str = "alerts", server: str = "prom") -> list[PushMessage]:
    """Messages `1` to `count`, in one go."""
    return store(who.account.pk, [arrival(str(number), channel, server) for number in range(1, count + 1)])


def rule(who: make.Person, name: str = "told", **more: Any) -> None:
    """A rule of `who` in force, at the end of the others; notifies of all unless told otherwise."""
    save(who.actor, RuleDraft(name=name, **more), was=None)
