"""The line to the hub: registers the launch, holds its WebSocket, and comes back to it whenever it breaks."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from tertulia import __version__
from tertulia.address import is_loopback
from tertulia.launch.access import Access
from tertulia.launch.runtime import Running
from tertulia.launch.upstream import HEADER
from tertulia.problems import Problem
from tertulia.surroundings import world

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

REGISTER, SOCKET = "/api/launches/", "/ws/launch/"
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
BEAT_SECONDS = 10.0
FRAME_BYTES = 64 * 1024
END_SECONDS = 3.0
Frame = dict[str, Any]


class Link:
    """`facts`: what is registered, asked for anew each time; `pane_state`: the same of the pane.

    `changed` is called when the tools may be others, `wakes` with the id of a wake to be done. `tried` is set once the hub was
    told of the launch, or could not be.
    """

    def __init__(
        self,
        access: Access,
        running: Running,
        facts: Callable[[], Awaitable[Frame]],
        pane_state: Callable[[], Awaitable[str]],
        credential: str,
    ) -> None:
        self.tried = asyncio.Event()
        self.changed: Callable[[], Awaitable[None]] = _nothing
        self.wakes: Callable[[int], Awaitable[Frame]] = _no_wake
        self._access = access
        self._running = running
        self._facts = facts
        self._pane_state = pane_state
        self._credential = credential
        self._line: ClientConnection | None = None
        self._answers: dict[int, asyncio.Future[str]] = {}
        self._asked = self._failures = 0
        self._beside: set[asyncio.Task[None]] = set()
        self._beating = asyncio.Lock()

    async def run(self) -> NoReturn:
        """For ever. Pauses grow from half a second to thirty, by chance shorter, and begin anew once the hub is back."""
        while True:
            try:
                await self.register()
                self.tried.set()
                await self._hold()
            except (Problem, OSError, TimeoutError, ValueError) as error:
                self._note_failure(str(error) if isinstance(error, Problem) else f"The hub {self._access.address} is away.")
            else:
                self._note_failure("The hub closed the line; coming back.")
            self.tried.set()
            await asyncio.sleep(world.chance() * min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(self._failures, 10)))
            self._failures += 1

    async def register(self) -> None:
        """Tell the hub of the launch, or what is new of it; raises Problem."""
        await self._access.ask("POST", REGISTER, body={**await self._facts(), "credential": self._credential})

    def lost(self) -> None:
        """The hub does not know the launch: the line is broken off, and thereby begun anew."""
        self.tried.clear()
        if self._line is not None:
            self._do(self._line.close())

    async def ask_hook(self, event: str, seconds: float) -> str:
        """What the hub has to say to the agent at this event; empty where it does not say it in time."""
        if self._line is None:
            return ""
        self._asked += 1
        number = self._asked
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            async with asyncio.timeout(seconds):
                await self._say({"type": "hook", "id": number, "event": event})
                return await answer
        except TimeoutError:
            return ""
        finally:
            del self._answers[number]

    def tell_hook(self, event: str) -> None:
        """Let the hub know of this event, without waiting for an answer."""
        self._asked += 1
        self._do(self._say({"type": "hook", "id": self._asked, "event": event}))

    async def end(self, exit_status: int | None, reason: str) -> None:
        """Say that the agent has ended, if that can be said soon."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await self._say({"type": "end", "exit_status": exit_status, "reason": reason})
                if self._line is not None:
                    await self._line.close()

    async def _hold(self) -> None:
        from websockets.exceptions import WebSocketException

        try:
            async with self._opened() as line:
                self._line = line
                self._running.connected, self._running.last_error = True, ""
                beats = asyncio.create_task(self._beat())
                try:
                    await self.changed()
                    async for text in line:
                        await self._take(text)
                finally:
                    beats.cancel()
        except WebSocketException:
            raise ConnectionError from None
        finally:
            self._line = None

    def _opened(self) -> Any:
        """The WebSocket. Redirects are not followed: the credential is for the hub alone."""
        from websockets.asyncio.client import connect

        class Direct(connect):
            def process_redirect(self, exc: Exception) -> Exception | str:
                return exc

        parts = urlsplit(self._access.address)
        return Direct(
            f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}{SOCKET}",
            additional_headers={"Authorization": f"Bearer {self._access.token}", HEADER: self._credential},
            user_agent_header=f"tertulia/{__version__}",
            proxy=None if is_loopback(parts.hostname or "") else True,
            max_size=FRAME_BYTES,
            compression=None,
            logger=logging.getLogger("tertulia"),
        )

    async def _take(self, text: str | bytes) -> None:
        frame = json.loads(text)
        kind = frame.get("type") if isinstance(frame, dict) else None
        if kind == "hook":
            self._resolve(frame)
        elif kind == "state":
            await self._keep(frame)
        elif kind == "tools":
            await self.changed()
        elif kind == "wake" and isinstance(frame.get("id"), int):
            self._do(self._wake(frame["id"]))
        elif kind == "pane":
            self._do(self._beat_once())
        elif kind == "error":
            self._running.last_error = str(frame.get("detail", ""))[:400]
            self._running.save()

    def _resolve(self, frame: Frame) -> None:
        answer = self._answers.get(frame["id"]) if isinstance(frame.get("id"), int) else None
        if answer is not None and not answer.done():
            text = frame.get("text")
            answer.set_result(text if isinstance(text, str) else "")

    async def _keep(self, frame: Frame) -> None:
        """The launch's grant, as the hub has it. Only a hub that tells it is back."""
        self._failures = 0
        before = replace(self._running)
        self._running.granted = frame.get("granted") is True
        self._running.hooks = frame.get("hooks") is True
        self._running.wake = frame.get("wake") is True
        self._running.handle = str(frame.get("handle") or "")
        if self._running != before:
            self._running.save()
            await self.changed()

    async def _wake(self, number: int) -> None:
        await self._say({"type": "wake", "id": number, **await self.wakes(number)})

    async def _beat(self) -> None:
        while True:
            await self._beat_once()
            await asyncio.sleep(BEAT_SECONDS)

    async def _beat_once(self) -> None:
        """One after the other: a look that took long would else be told last, and believed."""
        async with self._beating:
            self._running.pane_state = await self._pane_state()
            self._running.save()
            await self._say({"type": "beat", "pane_state": self._running.pane_state})

    async def _say(self, frame: Frame) -> None:
        """In vain where there is no line: whoever waits for an answer waits no longer than he wants to."""
        from websockets.exceptions import ConnectionClosed

        if self._line is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._line.send(json.dumps(frame))

    def _do(self, deed: Any) -> None:
        task = asyncio.ensure_future(deed)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    def _note_failure(self, sentence: str) -> None:
        self._running.connected, self._running.last_error = False, sentence
        self._running.save()


async def _nothing() -> None:
    pass


async def _no_wake(_: int) -> Frame:
    return {"outcome": "refused", "detail": "no pane to type into"}
