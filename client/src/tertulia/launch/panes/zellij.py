"""Panes of Zellij, by its documented commands. From 0.44 on a pane can be named; before, only the focused one was written to."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from tertulia.launch.asking import Failed, ask
from tertulia.launch.identity import Agent, line_of, look_at, name_of
from tertulia.launch.panes import State

OLDEST = (0, 44)
TOO_OLD = "Zellij before 0.44 cannot write to a pane that is not focused, so the agent cannot be woken."
ELSEWHERE = "ZELLIJ_PANE_ID names a pane of another terminal, so the agent cannot be woken."


class ZellijPane:
    """One terminal pane of one Zellij session."""

    multiplexer = "zellij"

    def __init__(self, program: str, version: str, session: str, number: int) -> None:
        self.version, self.session, self.id = version, session, f"terminal_{number}"
        self.wakeable = _numbers(version) >= OLDEST
        self.note = "" if self.wakeable else TOO_OLD
        self._number = number
        self._action = (program, "--session", session, "action")

    async def state(self) -> State:
        """See `Pane`."""
        try:
            listed = await self._listed()
        except Failed:
            return "unlisted"
        if listed is None:
            return "unlisted"
        return "exited" if listed.get("exited") is True else "claimed"

    async def is_focused(self) -> bool:
        """Whether a client is in this pane: Zellij tells no more of whoever sits there."""
        rows = [line.split() for line in (await ask([*self._action, "list-clients"])).splitlines()]
        return any(len(row) > 1 and row[1] == self.id for row in rows)

    async def in_copy_mode(self) -> bool:
        """What is pasted goes to the program, whatever a client's mode is."""
        return False

    async def screen(self) -> tuple[Sequence[str], int | None]:
        """See `Pane`."""
        return (await ask([*self._action, "dump-screen", "--pane-id", self.id, "--ansi"])).split("\n"), None

    async def paste(self, text: str) -> None:
        """See `Pane`."""
        await ask([*self._action, "paste", "--pane-id", self.id, text])

    async def press_enter(self) -> None:
        """See `Pane`."""
        await ask([*self._action, "send-keys", "--pane-id", self.id, "Enter"])

    async def _listed(self) -> dict[str, Any] | None:
        with suppress(ValueError, TypeError, AttributeError):
            for row in json.loads(await ask([*self._action, "list-panes", "--json"])):
                if row.get("id") == self._number and not row.get("is_plugin"):
                    return dict(row)
        return None


async def find(environment: Mapping[str, str], agent: Agent) -> tuple[ZellijPane | None, str]:
    """The pane of `ZELLIJ_PANE_ID`, unless the session knows none of that number; else why not."""
    session, number = environment.get("ZELLIJ_SESSION_NAME", ""), environment.get("ZELLIJ_PANE_ID", "")
    program = shutil.which("zellij", path=environment.get("PATH"))
    if not session or not number.isdigit() or program is None:
        return None, ""
    try:
        version = (await ask([program, "--version"])).split()[-1]
    except (Failed, IndexError):
        return None, "Zellij does not say its version, so the agent cannot be woken."
    pane = ZellijPane(program, version, session, int(number))
    if not runs_in_one(agent):
        return None, ELSEWHERE
    if pane.wakeable and await pane.state() == "unlisted":
        return None, "ZELLIJ_PANE_ID names no pane of its session, so the agent cannot be woken."
    return pane, pane.note


def runs_in_one(agent: Agent) -> bool:
    """Whether the agent's own terminal is one that Zellij made: a terminal begun from a pane inherits that pane's number."""
    process = agent.look()
    if process is None or not process.terminal:
        return False
    for pid in line_of(agent.pid):
        above = look_at(pid)
        if above is None or above.terminal != process.terminal:
            return "zellij" in name_of(pid)
    return False


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
