"""What a web process runs beside its requests: the MCP manager, the news, the flush of last uses."""

import asyncio

import structlog
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from accounts.bearer import usage
from core import executors, news

log = structlog.get_logger(__name__)
USAGE_FLUSH_SECONDS = 60.0


class Services:
    """Started by the first request or by lifespan (daphne has none), in one long-lived task of their own."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[None] | None = None
        self._ending: asyncio.Event | None = None

    async def ensure(self) -> None:
        """Return once everything runs."""
        if self._ready is None:
            loop = asyncio.get_running_loop()
            self._ready, self._ending = loop.create_future(), asyncio.Event()
            self._task = loop.create_task(self._run(self._ready, self._ending))
        await asyncio.shield(self._ready)

    async def stop(self) -> None:
        """End everything and write what is still to be written."""
        if self._task is not None and self._ending is not None:
            self._ending.set()
            await self._task
        self._task = self._ready = self._ending = None

    async def _run(self, ready: "asyncio.Future[None]", ending: asyncio.Event) -> None:
        try:
            async with self._manager.run():
                await news.start()
                ready.set_result(None)
                while not ending.is_set():
                    await _pause(ending, USAGE_FLUSH_SECONDS)
                    await _flush()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise
        finally:
            await news.stop()


async def _pause(ending: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(ending.wait(), seconds)
    except TimeoutError:
        return


async def _flush() -> None:
    try:
        await executors.write(usage.flush)
    except Exception:
        log.warning("last_use_not_written", exc_info=True)
