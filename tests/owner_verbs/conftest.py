"""An owner at a terminal of his own, before a stub of the hub."""

from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from tertulia.surroundings import world

from tests.client.conftest import cli, home, hub, owner, time
from tests.client.stub import Stub, answer, refused, signed_in

__all__ = ["cli", "home", "hub", "owner", "time"]

PASSWORD = "correct horse"
TOKEN = "to-fresh"


@dataclass
class Person:
    """Types what he was told to, in turn. `read`: what he was asked."""

    answers: list[str] = field(default_factory=list)
    passwords: list[str] = field(default_factory=lambda: [PASSWORD])
    read: list[str] = field(default_factory=list)

    def ask(self, prompt: str) -> str:
        self.read.append(prompt)
        return self.answers.pop(0)

    def ask_secret(self, prompt: str) -> str:
        self.read.append(prompt)
        return self.passwords.pop(0)


@pytest.fixture
def person(hub: Stub) -> Person:
    """He is signed in, sits at a terminal and knows the password."""
    signed_in()
    someone = Person()
    world.interactive = lambda: True
    world.ask, world.ask_secret = someone.ask, someone.ask_secret

    def proves(request: httpx.Request) -> httpx.Response:
        if PASSWORD.encode() not in request.content:
            return refused(403, "wrong_password", "That is not the password; try again.")
        return answer(201, {"token": TOKEN, "expires_at": "2026-11-29T23:00:00.000Z"})

    hub.says("/api/proof/", proves)
    return someone


def launch(key: str = "l-0123456789abcdef", *, handle: str = "", **more: Any) -> dict[str, Any]:
    """A launch as the hub lists it."""
    return {
        "key": key,
        "profile": "lead",
        "harness": "claude",
        "harness_version": "2.1.332",
        "host": "desk",
        "multiplexer": "tmux",
        "pane": "%7",
        "state": "granted" if handle else "ungranted",
        "grant": {"handle": handle, "wake": False, "note": ""} if handle else None,
        **more,
    }


def listed(*launches: dict[str, Any]) -> httpx.Response:
    return answer(200, {"results": list(launches)})
