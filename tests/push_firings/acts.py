"""Rules and firings in short."""

from typing import Any

from tests import make
from tests.pushing import pushed, rule
from triggers.firing.draining.actions import drain
from triggers.models import Firing


def asks(who: make.Person, name: str = "ask", **more: Any) -> None:
    """A rule that asks."""
    rule(who, name, **{"mode": "confirm", "prompt": "go {{content}}", **more})


def auto(who: make.Person, name: str = "auto", **more: Any) -> None:
    """A rule that runs at once."""
    rule(who, name, **{"mode": "auto", "prompt": "go {{content}}", "tools": ("chat_read",), **more})


def newest(who: make.Person) -> Firing:
    """The firing with the highest number."""
    found = Firing.objects.filter(account=who.account).order_by("-number").first()
    assert found is not None
    return found


def asked(who: make.Person, content: str = "it") -> Firing:
    """A question that is open, by a rule that is there or made now."""
    if not who.account.push_rules.exists():
        asks(who)
    pushed(who, content)
    drain(who.account.pk)
    found = newest(who)
    assert found.state == Firing.ASKED, found.detail
    return found


def running(who: make.Person, content: str = "it", **more: Any) -> Firing:
    """An auto firing whose run waits for its worker."""
    if not who.account.push_rules.exists():
        auto(who, **more)
    pushed(who, content)
    drain(who.account.pk)
    found = newest(who)
    assert found.state == Firing.RUNNING, found.detail
    return found


def states(who: make.Person) -> list[str]:
    """Of all firings, the oldest first."""
    return list(Firing.objects.filter(account=who.account).order_by("number").values_list("state", flat=True))
