"""What tests of the push inbox make: push servers, push messages, rules."""

from typing import Any

from core import clock
from tests import make
from triggers.models import PushServer


def server(who: make.Person, name: str = "lights", **more: Any) -> PushServer:
    """A push server of `who`, by its row alone; on Streamable HTTP unless told otherwise."""
    given = {"transport": PushServer.HTTP, "url": f"https://{name}.example.org/mcp", "created_at": clock.now()}
    return PushServer.objects.create(account=who.account, name=name, **given | more)
