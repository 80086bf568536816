"""A pane before a stub of the hub that holds its calls until there is something to say."""

import asyncio
import queue
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from tertulia.pane.app import ChatPane
from tertulia.signing import Hub
from tertulia.store.credentials import Credentials
from tertulia.surroundings import world
from tertulia.wire import Wire
from textual.pilot import Pilot
from textual.widgets import Input, Static

from tests.client.conftest import home, hub, time
from tests.client.stub import HUB, Stub, answer, message, page, refused, signed_in
from tests.owner_verbs.conftest import PASSWORD, TOKEN, launch, listed

__all__ = ["home", "hub", "time"]
SECONDS = 10
Opened = Callable[..., AbstractAsyncContextManager["Pane"]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Chat:
    """What the hub has. `coming`: answers of the held call, in turn; it waits until there is one."""

    stub: Stub
    messages: list[dict[str, Any]] = field(default_factory=list)
    coming: "queue.Queue[httpx.Response | Exception]" = field(default_factory=queue.Queue)
    only_owner: bool = False

    def says(self, *new: dict[str, Any]) -> None:
        """Post: the held call answers."""
        self.messages += new
        self.coming.put(page(*new))

    def held(self, request: httpx.Request) -> httpx.Response:
        if self._is_refused(request):
            return refused(403, "chat_not_granted", "Only granted launches chat here.")
        said = self.coming.get()
        if isinstance(said, Exception):
            raise said
        return said

    def wait(self, request: httpx.Request) -> httpx.Response:
        if self._is_refused(request):
            return refused(403, "chat_not_granted", "Only granted launches chat here.")
        if request.url.params.get("timeout") == "0":
            latest = max((each["seq"] for each in self.messages), default=0)
            return page(latest_seq=latest)
        return self.held(request)

    def listed(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return answer(201, {"stored": True, "seq": 900, "topic": "general", "thread": 900})
        asked = request.url.params
        found = [
            each
            for each in self.messages
            if asked.get("topic") in {None, each["topic"]} and asked.get("thread") in {None, str(each["thread"])}
        ]
        return answer(200, {"results": found[::-1][: int(asked["page_size"])], "next": None})

    def _is_refused(self, request: httpx.Request) -> bool:
        return self.only_owner and request.headers["authorization"] != f"Bearer {TOKEN}"


@pytest.fixture
def chat(hub: Stub) -> Iterator[Chat]:
    signed_in()
    found = Chat(hub)
    world.interactive = lambda: True
    topics = [{"topic": "general", "messages": 1, "unread": 2}, {"topic": "docs", "messages": 1}]
    hub.says("/api/wait/", found.wait).says("/chat", found.held).says("/api/messages/", found.listed)
    hub.says("/api/topics/", answer(200, {"results": topics}))
    hub.says("/api/launches/", listed(launch(handle="boss"), launch("l-fedcba9876543210", profile="dev")))
    hub.says("/api/proof/", _proves)
    yield found
    for _ in range(8):  # let every held call go
        found.coming.put(httpx.ConnectError("over"))


def _proves(request: httpx.Request) -> httpx.Response:
    if PASSWORD.encode() not in request.content:
        return refused(403, "wrong_password", "That is not the owner's password; try again.")
    return answer(201, {"token": TOKEN, "expires_at": "2026-11-29T23:00:00.000Z"})


@dataclass
class Pane:
    """The pane on its screen."""

    app: ChatPane
    pilot: Pilot[None]

    @property
    def stream(self) -> str:
        """The messages as they are shown."""
        return str(self.app.main.query_one("#stream", Static).content)

    @property
    def line(self) -> Input:
        """Where the owner types."""
        return self.app.main.query_one("#line", Input)

    @property
    def told(self) -> list[str]:
        """What was told in passing."""
        return [each.message for each in self.app._notifications]

    @property
    def screen(self) -> str:
        """Every cell of the terminal."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in lines)

    async def until(self, seen: Callable[[], Any]) -> None:
        """Wait until it is so; fails after some seconds."""
        for _ in range(SECONDS * 50):
            if seen():
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"never seen; the screen shows\n{self.screen}")

    async def types(self, text: str) -> None:
        """Type into the chat's line and press Enter."""
        self.app.action_chat()
        await self.pilot.pause()
        self.line.value = text
        await self.pilot.press("enter")

    async def proves(self, password: str = PASSWORD) -> None:
        """Answer the dialog that asks for the password."""
        await self.until(lambda: self.app.screen.query("#password"))
        self.app.screen.query_one("#password", Input).value = password
        await self.pilot.press("enter")


@pytest.fixture
def opened(chat: Chat) -> Opened:
    """Open the pane: `async with opened() as pane`."""

    @asynccontextmanager
    async def pane(size: tuple[int, int] = (100, 30)) -> AsyncIterator[Pane]:
        with Wire(HUB) as wire:
            app = ChatPane(Hub(wire, Credentials().find(None)))
            async with app.run_test(size=size, notifications=True) as pilot:
                yield Pane(app, pilot)

    return pane


def hostile(seq: int) -> dict[str, Any]:
    """A message that tries everything."""
    evil = "\x1b[2J\x1b]0;x\x07[bold red]markup[/] \u202eidib\u2066 @click=app.quit \x00\r\n#99 fake head"
    return message(seq, evil, session_name="[link=evil]x[/link]\x1b[31m", topic="a[b]\x1b", connection_id="c-1")
