"""The Unix socket beside the agent: hooks, MCP connections and doctor come here, and only who belongs to the agent gets anything.

A connection's first line says what it is: `hook HARNESS EVENT` (the rest is the hook's standard input), `mcp`, or `status`.
"""

import asyncio
import contextlib
import json
import socket
from dataclasses import asdict

from tertulia.launch import hooks
from tertulia.launch.bridge import Bridge
from tertulia.launch.identity import Agent, Peer
from tertulia.launch.link import Link
from tertulia.launch.runtime import Running
from tertulia.launch.upstream import Upstream

MOST_AT_ONCE = 256
FIRST_LINE_BYTES, HOOK_BYTES = 200, (1 << 20) + 200
HOOK_SECONDS = 1.0
"""How long a hook may take to hand over its event; it gives up sooner itself."""


class Door:
    """Serves who comes. `busy`: whether the agent's hooks say that it works."""

    def __init__(self, agent: Agent, running: Running, link: Link, upstream: Upstream) -> None:
        self.busy = False
        self._agent = agent
        self._running = running
        self._link = link
        self._upstream = upstream
        self._bridges: set[Bridge] = set()
        self._guests = 0

    async def serve(self, listening: socket.socket) -> asyncio.Server:
        """Begin to."""
        return await asyncio.start_unix_server(self._welcome, sock=listening)

    async def tools_changed(self) -> None:
        """Tell each harness that the list of tools may be another."""
        for bridge in list(self._bridges):
            await bridge.changed()

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(writer.get_extra_info("socket"))
        self._guests += 1
        try:
            if self._guests <= MOST_AT_ONCE and peer.is_own():
                await self._serve(peer, reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass
        finally:
            self._guests -= 1
            peer.close()
            with contextlib.suppress(OSError):
                writer.close()

    async def _serve(self, peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(HOOK_SECONDS):
            first = await reader.readuntil(b"\n")
        words = first[:FIRST_LINE_BYTES].decode(errors="replace").split()
        if words == ["mcp"]:
            await self._bridge(peer, reader, writer)
        elif words == ["status"]:
            writer.write(json.dumps(asdict(self._running)).encode() + b"\n")
        elif len(words) == 3 and words[0] == "hook" and peer.belongs_to(self._agent):
            async with asyncio.timeout(HOOK_SECONDS):
                given = await _rest(reader)
            writer.write(await self._hook(words[1], words[2], given))
        await writer.drain()

    async def _bridge(self, peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        bridge = Bridge(writer, self._upstream, lambda: peer.belongs_to(self._agent), self._link.tried, self._link.lost)
        self._bridges.add(bridge)
        try:
            await bridge.run(reader)
        finally:
            self._bridges.discard(bridge)

    async def _hook(self, harness: str, named: str, given: bytes) -> bytes:
        event = hooks.event_of(harness, named, given)
        if not event:
            return b""
        self.busy = event in hooks.BUSY or (self.busy and event not in hooks.IDLE)
        if event not in hooks.ASKED[harness]:
            self._link.tell_hook(event)
            return b""
        return hooks.composed(harness, event, await self._link.ask_hook(event, hooks.seconds_of(harness)))


async def _rest(reader: asyncio.StreamReader) -> bytes:
    """What follows to its end; nothing of what is too long."""
    held = bytearray()
    while chunk := await reader.read(1 << 16):
        held += chunk
        if len(held) > HOOK_BYTES:
            return b""
    return bytes(held)
