"""What the three transports have in common: calls, the handshake of the older era, and what becomes of a message."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any

import structlog
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION

from triggers.listening.calls import Calls
from triggers.listening.faults import Failed, Fault
from triggers.listening.frames import Message, answer_to, is_answer, is_question, object_of

log = structlog.get_logger(__name__)
Hear = Callable[[str, str], None]
"""Told what a server pushed: the text as it came, and the id of its event (empty where it has none)."""
Shed = Callable[[], None]
"""Told of a message that was let go unread: it was too large."""

CALL_SECONDS = 30.0
MOST_ANSWERS = 8
"""Questions of a server that are being answered; more are let go, or one that asks without end would fill memory."""

CLIENT = {"name": "Tertulia", "version": "0.1"}
IN_TIME = "The server did not answer in time."


class Transport(ABC):
    """One way to one server. `stream` may be called again after it ended; what it learned of the session is kept.

    `capabilities` None: of a session that somebody else began.
    """

    def __init__(self, hear: Hear, shed: Shed) -> None:
        self._hear = hear
        self._shed = shed
        self.calls = Calls()
        self.capabilities: Message | None = None
        self.protocol = ""
        self.session_id = ""
        self.last_event_id = ""
        self.retry: float | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._answering = 0

    @abstractmethod
    async def stream(self, begun: Callable[[], None]) -> None:
        """Connect and hear until the stream ends; `begun` is called once it stands. Raises Fault for every other end."""

    @abstractmethod
    async def send(self, message: Message) -> None:
        """Hand one message to the server. Raises Failed."""

    async def close(self) -> None:
        """Let go of everything."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def call(self, method: str, params: Message | None = None, *, seconds: float = CALL_SECONDS) -> Message:
        """The result of a request. Raises Failed where there is none in time, or an error comes."""
        number, answer = self.calls.begin()
        try:
            async with asyncio.timeout(seconds):
                await self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
                return await answer
        except TimeoutError:
            raise Failed(IN_TIME) from None
        finally:
            self.calls.forget(number)

    async def shake_hands(self) -> None:
        """`initialize`, and that it was heard. Raises Failed."""
        asked = {"protocolVersion": LATEST_HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": CLIENT}
        result = await self.call("initialize", asked)
        protocol = result.get("protocolVersion")
        if protocol not in HANDSHAKE_PROTOCOL_VERSIONS:
            raise Failed("The server speaks a version of the protocol that this hub does not know.")
        capabilities = result.get("capabilities")
        self.protocol = str(protocol)
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def take(self, text: str, event_id: str = "") -> None:
        """What came of the server: an answer is settled, a question answered, the rest is heard."""
        message = object_of(text)
        if message is not None and is_answer(message):
            self.calls.settle(message)
        elif message is not None and is_question(message):
            self._answer_soon(message)
        else:
            self._hear(text, event_id)

    def _answer_soon(self, question: Message) -> None:
        if self._answering >= MOST_ANSWERS:
            self._shed()
            return
        self._answering += 1
        self.spawn(self._answer(question))

    async def _answer(self, question: Message) -> None:
        try:
            async with asyncio.timeout(CALL_SECONDS):
                await self.send(answer_to(question))
        except (Fault, TimeoutError) as fault:
            log.debug("push_server_question_not_answered", reason=str(fault))
        finally:
            self._answering -= 1

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the stream; a transport that is closed takes it along."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
