"""A stdio server of one run: its own process, small environment, lines within bounds; it dies with the run."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from core.errors import Invalid
from triggers.listening import children
from triggers.listening.lines import Lines

CHUNK = 65_536
NOT_STARTED = "The push server's program could not be started; tell the owner to see that it is installed on the hub's machine."
Heard = MemoryObjectReceiveStream[SessionMessage | Exception]
Said = MemoryObjectSendStream[SessionMessage]


@contextlib.asynccontextmanager
async def program(argv: Sequence[str], more: Mapping[str, str]) -> AsyncIterator[tuple[Heard, Said]]:
    """The program's messages, and where messages for it go. Raises Invalid where it cannot be started.

    It is killed with the thread that entered here: a run's, which outlives it.
    """
    process = await _started(argv, more)
    told, heard = anyio.create_memory_object_stream[SessionMessage | Exception](16)
    said, waiting = anyio.create_memory_object_stream[SessionMessage](16)
    try:
        async with asyncio.TaskGroup() as tasks:
            hearing = tasks.create_task(_hear(process, told))
            telling = tasks.create_task(_tell(process, waiting))
            try:
                yield heard, said
            finally:
                hearing.cancel()
                telling.cancel()
    finally:
        for stream in (told, heard, said, waiting):
            stream.close()
        await _surely(children.end(process))


async def _started(argv: Sequence[str], more: Mapping[str, str]) -> asyncio.subprocess.Process:
    try:
        return await children.start(argv, more, errors=asyncio.subprocess.DEVNULL)
    except (OSError, ValueError):
        raise Invalid(NOT_STARTED) from None


async def _hear(process: asyncio.subprocess.Process, told: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    assert process.stdout is not None
    lines = Lines()
    while piece := await process.stdout.read(CHUNK):
        for line in lines.feed(piece):
            with contextlib.suppress(ValidationError):
                await told.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False)))
    told.close()


async def _tell(process: asyncio.subprocess.Process, waiting: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    async for each in waiting:
        process.stdin.write(each.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
        with contextlib.suppress(OSError):
            await process.stdin.drain()


async def _surely(work: Coroutine[Any, Any, object]) -> None:
    """To its end, however often who waits for it is cancelled: nothing may be left running."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
