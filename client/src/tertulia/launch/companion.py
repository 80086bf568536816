"""The process beside the agent: holds the launch's credential, the line to the hub and the socket, and outlives a stopped agent.

It has no terminal. The process in front of it, which waits for the agent, says by a pipe how the agent ended.
"""

import asyncio
import contextlib
import ctypes
import json
import os
import platform
import secrets
import sys
from dataclasses import asdict
from typing import Any, NoReturn

from tertulia.launch import hookfiles, panes, runtime
from tertulia.launch.access import Access
from tertulia.launch.door import Door
from tertulia.launch.identity import Agent
from tertulia.launch.link import Link
from tertulia.launch.panes import Pane
from tertulia.launch.starting import Launch
from tertulia.launch.upstream import Upstream
from tertulia.launch.versions import version_of
from tertulia.launch.waking import wake
from tertulia.problems import Problem

PR_SET_DUMPABLE = 4
VERSION_SECONDS = 0.3
"""How long the first registration waits for the harness's version; it is told later where that takes longer."""
LOOK_SECONDS = 1.0
REGISTERED = ("key", "profile", "harness", "harness_version", "command", "pid", "start_token", "multiplexer", "pane", "note")
UNVERIFIED = "Processes cannot be told apart on this system, so it gets no chat."


def become(launch: Launch, hears: int) -> NoReturn:
    """Be the companion, in a process that was forked for it; `hears`: the pipe on which it is told how the agent ended."""
    try:
        _hide_memory()
        asyncio.run(Companion(launch).run(hears))
    finally:
        runtime.remove(launch.running.path)
        os._exit(0)


def _hide_memory() -> None:
    """No other process reads what this one knows."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


class Companion:
    """Everything that goes on beside one agent. The credential is made here, and no other process ever holds it."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._running = launch.running
        self._running.launcher = os.getpid()
        self._agent = Agent(self._running.pid, self._running.start_token)
        self._pane: Pane | None = None
        access, credential = Access(launch.held), secrets.token_urlsafe(32)
        self._link = Link(access, self._running, self._facts, self._pane_state, credential)
        self._upstream = Upstream(access, credential)
        self._door = Door(self._agent, self._running, self._link, self._upstream)
        self._link.changed = self._door.tools_changed
        self._link.wakes = self._wake

    async def run(self, hears: int) -> None:
        """Until the agent has ended and the hub was told."""
        server = await self._door.serve(self._launch.door)
        beside = asyncio.create_task(self._begin())
        status = await self._until_it_ends(hears)
        beside.cancel()
        server.close()
        await self._link.end(status, "the process ended" if status is not None else "its launcher was killed")

    async def _begin(self) -> None:
        self._running.save()
        with contextlib.suppress(Problem):
            hookfiles.install()
        runtime.sweep()
        version = asyncio.create_task(version_of(self._launch.command))
        await self._find_pane()
        await asyncio.wait([version], timeout=VERSION_SECONDS)
        if version.done():
            self._running.harness_version = version.result()
        late = asyncio.create_task(self._tell_late(version))
        try:
            await self._link.run()
        finally:
            late.cancel()

    async def _find_pane(self) -> None:
        if not self._agent.token:
            self._running.note = UNVERIFIED
            return
        self._pane, self._running.note = await panes.find(self._launch.environment, self._agent)
        if self._pane is not None:
            self._running.multiplexer, self._running.pane = self._pane.multiplexer, self._pane.id
            self._running.wakeable = self._pane.wakeable
            self._running.pane_state = await self._pane.state()

    async def _tell_late(self, version: "asyncio.Task[str]") -> None:
        """Register once more where the version was not known the first time."""
        if self._running.harness_version:
            return
        self._running.harness_version = await version
        self._running.save()
        if self._running.harness_version:
            await self._link.tried.wait()
            with contextlib.suppress(Problem):
                await self._link.register()

    async def _facts(self) -> dict[str, Any]:
        told = asdict(self._running)
        return {
            **{name: told[name] for name in REGISTERED},
            "host": platform.node() or "unknown",
            "platform": sys.platform,
            "multiplexer_version": self._pane.version if self._pane else "",
            "multiplexer_session": self._pane.session if self._pane else "",
            "pane_state": self._running.pane_state,
            "wakeable": self._running.wakeable,
        }

    async def _pane_state(self) -> str:
        return await self._pane.state() if self._pane else "none"

    async def _wake(self, _: int) -> dict[str, Any]:
        return asdict(await wake(self._pane, self._agent, lambda: self._door.busy))

    async def _until_it_ends(self, hears: int) -> int | None:
        """How the agent ended: its exit code, or its signal below zero; None where nobody is left to say."""
        reader = asyncio.StreamReader()
        pipe = os.fdopen(hears, "rb")
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        told = await reader.read()
        if told:
            return int(json.loads(told))
        while self._agent.look() is not None:  # noqa: ASYNC110 - nobody tells of another's child
            await asyncio.sleep(LOOK_SECONDS)
        return None
