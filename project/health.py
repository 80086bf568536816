"""`/healthz`: the process answers. `/readyz`: what it needs answers too. Small ASGI applications beside Django.

A part that fails is named, its exception is in the log alone; nobody's question waits longer than `PATIENCE` seconds.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import structlog
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connection

from core import executors
from core.mounts import Receive, Scope, Send
from core.registry import health_checks

log = structlog.get_logger(__name__)
PATIENCE = 2.0
Check = Callable[[], Awaitable[None]]


async def healthz(scope: Scope, receive: Receive, send: Send) -> None:
    """200 while the process answers at all."""
    await _answer(scope, send, 200, {"status": "ok"})


async def readyz(scope: Scope, receive: Receive, send: Send) -> None:
    """200 when every part answers, else 503; says which part fails."""
    parts = await look(checks())
    well = all(state == "ok" for state in parts.values())
    await _answer(scope, send, 200 if well else 503, {"status": "ok" if well else "unavailable", "parts": parts})


async def _answer(scope: Scope, send: Send, status: int, body: dict[str, Any]) -> None:
    if scope["type"] != "http":
        return
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    if scope["method"] not in {"GET", "HEAD"}:
        status, body = 405, {"error": "method_not_allowed", "detail": "Ask with GET."}
        headers.append((b"allow", b"GET, HEAD"))
    payload = json.dumps(body).encode()
    headers.append((b"content-length", str(len(payload)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else payload})


def checks() -> dict[str, Check]:
    """Every part by name: the three the hub cannot do without, and what apps registered."""
    return {
        "database": once("database", database_answers),
        "channel_layer": channel_layer_answers,
        "broker": broker_answers,
        **{name: once(name, check) for name, check in health_checks.items()},
    }


async def look(parts: dict[str, Check]) -> dict[str, str]:
    """Ask all parts at once: name → `ok`, `fails` or `slow` (no answer within `PATIENCE`)."""
    states = await asyncio.gather(*(_state(name, check) for name, check in parts.items()))
    return dict(zip(parts, states, strict=True))


async def _state(name: str, check: Check) -> str:
    try:
        async with asyncio.timeout(PATIENCE):
            await check()
    except TimeoutError:
        log.warning("health_check_slow", part=name, patience=PATIENCE)
        return "slow"
    except Exception:
        log.warning("health_check_failed", part=name, exc_info=True)
        return "fails"
    return "ok"


_asking: dict[str, "asyncio.Task[None]"] = {}


def once(name: str, check: Callable[[], None]) -> Check:
    """A plain check in a reader's thread. Who asks while an earlier question still hangs waits for that answer, so a dead
    database holds one thread however often `/readyz` is asked."""

    async def ask() -> None:
        asking = _asking.get(name)
        if asking is None or asking.done() or asking.get_loop() is not asyncio.get_running_loop():
            asking = _asking[name] = asyncio.create_task(executors.read(check))
        await asyncio.shield(asking)

    return ask


def database_answers() -> None:
    """Raise when a query fails."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


async def channel_layer_answers() -> None:
    """Raise when a message to nobody cannot be sent."""
    layer = get_channel_layer()
    if layer is None:
        raise RuntimeError("no channel layer")
    await layer.group_send("readyz", {"type": "readyz"})


async def broker_answers() -> None:
    """Raise when Redis does not answer, or the folder of messages cannot be written."""
    if not settings.REDIS_URL:
        _must_be_writable(settings.BROKER_FOLDER)
        return
    import redis.asyncio

    async with redis.asyncio.Redis.from_url(
        settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
    ) as client:
        await client.ping()


def _must_be_writable(folder: Path) -> None:
    present = [folder, *(entry for entry in folder.iterdir() if entry.is_dir())] if folder.is_dir() else [folder.parent]
    for each in present:
        if not os.access(each, os.W_OK | os.X_OK):
            raise PermissionError(f"{each} cannot be written")
