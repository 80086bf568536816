"""Plays a launcher: what it registers, and its line to the hub."""

import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from accounts.models import Connection, Launch
from tests import make
from tests.api.driver import Caller
from tests.asgi import Socket, socket

PATH = "/ws/launch/"


def told(**more: Any) -> dict[str, Any]:
    """The body of a registration: a fresh launch in a tmux pane of its own."""
    return {
        "key": f"l-{secrets.token_hex(8)}",
        "credential": secrets.token_urlsafe(32),
        "profile": "lead",
        **make.DESK,
        "multiplexer_session": "0",
        "pane": f"%{secrets.randbelow(10**6)}",
        **more,
    }


@dataclass
class Launcher:
    """One launch that was registered by REST, and the token it came with."""

    caller: Caller
    body: dict[str, Any]
    connection: Connection

    @property
    def launch(self) -> Launch:
        """The row as it is now."""
        held: Launch = Launch.objects.get(key=self.body["key"])
        return held

    def register(self, **more: Any) -> Any:
        """Register again, with changes."""
        return self.caller.post("/api/launches/", {**self.body, **more})

    def end(self, credential: str | None = None, **told: Any) -> Any:
        """Tell the end by REST."""
        header = {"tertulia_launch": credential or self.body["credential"]}
        return self.caller.post(f"/api/launches/{self.body['key']}/end/", told, **header)

    @asynccontextmanager
    async def line(self, app: Any, **headers: str) -> AsyncIterator[Socket]:
        """The launcher's socket, as the client opens it: without Origin and cookies."""
        given = {"authorization": f"Bearer {self.caller.token}", "tertulia-launch": self.body["credential"], **headers}
        async with socket(app, PATH, None, origin=None, **given) as opened:
            yield opened


def registered(who: make.Person, *, connection: Connection | None = None, **more: Any) -> Launcher:
    """A launch of `who`, registered as the client does."""
    held = connection or make.connection(who, name="Tertulia client")
    launcher = Launcher(Caller(token=make.token(who, connection_=held)), told(**more), held)
    assert launcher.register().status_code == 201
    return launcher


PROMPT = {"type": "hook", "id": 7, "event": "UserPromptSubmit"}


def say(line: Socket, **frame: Any) -> None:
    line.say(json.dumps(frame))


async def begun(line: Socket) -> Any:
    """The state that comes first."""
    state = await line.hear()
    assert state is not None and state["type"] == "state", (state, line.code)
    return state


async def hear(line: Socket, kind: str) -> Any:
    """The next frame of a kind; others may come between."""
    while (frame := await line.hear()) is not None and frame["type"] != kind:
        pass
    return frame
