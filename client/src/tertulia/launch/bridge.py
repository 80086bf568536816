"""One MCP connection of the agent's harness: its JSON lines go to the hub as this launch, the hub's answers come back."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

from tertulia.launch import spoken
from tertulia.launch.lines import chunks_of, lines
from tertulia.launch.spoken import Message, answered_here, error, is_id, notice, params_of, version_in
from tertulia.launch.upstream import SESSION, VERSION, Away, LaunchGone, SessionGone, Upstream

MOST_LINE_BYTES = 1024 * 1024
"""What the hub takes."""
MOST_AT_ONCE = 64
INITIALIZED = "notifications/initialized"
"""Goes no further: the hub keeps no sessions."""
TRIED_SECONDS = 5.0
AFTER_END_SECONDS = 10.0
"""How long what was asked may take once the harness has closed."""
NO_IDENTITY = "This process is not of the agent that tertulia launched, so it has no tools here."


class Bridge:
    """`admits`: whether the process at the other end is the agent's, asked anew for each line.

    `tried` is set once the hub was told of the launch, or could not be; `lost` is called when it does not know it.
    """

    def __init__(
        self,
        writer: asyncio.StreamWriter,
        upstream: Upstream,
        admits: Callable[[], bool],
        tried: asyncio.Event,
        lost: Callable[[], None],
    ) -> None:
        self._writer = writer
        self._upstream = upstream
        self._admits = admits
        self._tried = tried
        self._lost = lost
        self._calls: dict[str | int, asyncio.Task[None]] = {}
        self._notices: set[asyncio.Task[None]] = set()
        self._one_line = asyncio.Lock()
        self._beginning = asyncio.Lock()
        self._greeted: Message | None = None
        self._is_answered = False
        self._session, self._version = "", ""
        self._listening: dict[str | int, bool] = {}

    async def run(self, reader: asyncio.StreamReader) -> None:
        """Until the harness has closed and each of its calls is answered. Who is no agent at the start never becomes one."""
        admitted = self._admits()
        try:
            async for line in lines(chunks_of(reader), MOST_LINE_BYTES):
                if line is None or line.strip():
                    await self._take(line, admitted)
            if under_way := [*self._calls.values(), *self._notices]:
                await asyncio.wait(under_way, timeout=AFTER_END_SECONDS)
        finally:
            for task in (*self._calls.values(), *self._notices):
                task.cancel()

    async def changed(self) -> None:
        """The list of tools may be another. A harness that is not greeted yet hears nothing: it asks for the list after that."""
        if self._is_answered:
            await self._write(notice(spoken.LIST_CHANGED, {}))
        for request_id, wanted in self._listening.items():
            if wanted:
                await self._write(notice(spoken.LIST_CHANGED, {"_meta": {spoken.SUBSCRIPTION_KEY: request_id}}))

    async def _take(self, line: bytes | None, admitted: bool) -> None:
        message = _decoded(line)
        if message is None:
            sentence = "That is no JSON-RPC message of one line of at most a mebibyte."
            await self._write(error(None, spoken.PARSE_ERROR, sentence))
            return
        request_id, method = message.get("id"), message.get("method")
        if not is_id(request_id) or not isinstance(method, str):
            self._take_notice(message, method, admitted)
        elif not admitted or not self._admits():
            await self._write(answered_here(message, NO_IDENTITY, changing=False))
        elif request_id in self._calls or request_id in self._listening or len(self._calls) >= MOST_AT_ONCE:
            sentence = f"At most {MOST_AT_ONCE} calls at once, each with an id of its own."
            await self._write(error(request_id, spoken.INVALID_REQUEST, sentence))
        elif method == "subscriptions/listen":
            await self._listen(request_id, params_of(message))
        else:
            self._calls[request_id] = task = asyncio.create_task(self._answer(message))
            task.add_done_callback(lambda _: self._calls.pop(request_id, None))

    def _take_notice(self, message: Message, method: Any, admitted: bool) -> None:
        """A cancellation breaks the call off here, and thereby at the hub; the rest the hub may want to know."""
        if method == "notifications/cancelled":
            cancelled = params_of(message).get("requestId")
            if is_id(cancelled):
                self._listening.pop(cancelled, None)
                if (task := self._calls.get(cancelled)) is not None:
                    task.cancel()
        elif admitted and self._admits() and len(self._notices) < MOST_AT_ONCE and method != INITIALIZED:
            task = asyncio.create_task(self._pass_on(message))
            self._notices.add(task)
            task.add_done_callback(self._notices.discard)

    async def _listen(self, request_id: str | int, params: Message) -> None:
        """Acknowledged here and told from here: so it outlives the hub's restarts."""
        wanted = params.get("notifications")
        wants_tools = isinstance(wanted, dict) and bool(wanted.get("toolsListChanged"))
        self._listening[request_id] = wants_tools
        honored = {"toolsListChanged": True} if wants_tools else {}
        meta = {"_meta": {spoken.SUBSCRIPTION_KEY: request_id}}
        await self._write(notice("notifications/subscriptions/acknowledged", {"notifications": honored, **meta}))

    async def _answer(self, message: Message) -> None:
        if message["method"] == "initialize":
            self._greeted, self._session, self._version, self._is_answered = message, "", "", False
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._tried.wait(), TRIED_SECONDS)
            await self._relay(message)
        except Away as away:
            if isinstance(away, LaunchGone):
                self._lost()
            await self._reply(message, answered_here(message, str(away), changing=True))

    async def _reply(self, message: Message, answer: Message) -> None:
        if message["method"] == "initialize":
            self._is_answered = True
        await self._write(answer)

    async def _relay(self, message: Message) -> None:
        """Ask the hub; a session it has forgotten is begun anew, once."""
        for last in (False, True):
            try:
                await self._ask(message)
                return
            except SessionGone:
                self._session, self._version = "", ""
                if last:
                    raise Away("The hub does not keep this session; try again later.") from None

    async def _ask(self, message: Message) -> None:
        request_id = message["id"]
        async with self._upstream.send(message, await self._headers(message)) as sent:
            async for each in sent.messages:
                if message["method"] == "initialize":
                    self._begin(sent.session, each)
                if "method" not in each:
                    await self._reply(message, {**each, "id": request_id})
                    return
                await self._write(each)
        raise Away("The hub broke off its answer; try again.")

    async def _headers(self, message: Message) -> dict[str, str]:
        if version := version_in(message):
            return spoken.modern_headers(message, version)
        if message["method"] == "initialize" or self._greeted is None:
            return {}
        async with self._beginning:
            if not self._version:
                await self._greet(self._greeted)
        return self._session_headers()

    def _session_headers(self) -> dict[str, str]:
        held = {SESSION: self._session, VERSION: self._version}
        return {name: value for name, value in held.items() if value}

    async def _greet(self, greeting: Message) -> None:
        """Begin a session at the hub for a harness that was greeted before."""
        async with self._upstream.send(greeting, {}) as sent:
            async for each in sent.messages:
                self._begin(sent.session, each)

    def _begin(self, session: str, answer: Message) -> None:
        result = answer.get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if isinstance(version, str):
            self._session, self._version = session, version

    async def _pass_on(self, message: Message) -> None:
        with contextlib.suppress(Away, SessionGone):
            async with self._upstream.send(message, self._session_headers()):
                pass

    async def _write(self, message: Message) -> None:
        with contextlib.suppress(OSError):
            async with self._one_line:
                self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
                await self._writer.drain()


def _decoded(line: bytes | None) -> Message | None:
    try:
        value = json.loads(line) if line is not None else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
