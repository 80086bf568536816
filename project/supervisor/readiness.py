"""When the hub answers: asked as a client would ask, until it does."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from urllib.parse import urlsplit

PATIENCE = 60.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104  read, not bound


async def answers(host: str, port: int, url: str, *, give_up: Callable[[], bool]) -> bool:
    """True once `/healthz` says 200; False after a minute, or as soon as `give_up` says so."""
    until = time.monotonic() + PATIENCE
    while not await _asked_once(EVERYWHERE.get(host, host), port, urlsplit(url).netloc):
        if time.monotonic() > until or give_up():
            return False
        await asyncio.sleep(0.1)
    return True


async def _asked_once(host: str, port: int, name: str) -> bool:
    try:
        async with asyncio.timeout(5):
            reader, writer = await asyncio.open_connection(host.strip("[]"), port)
            try:
                writer.write(f"GET /healthz HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n".encode())
                return b" 200 " in await reader.readline()
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (OSError, TimeoutError):
        return False
