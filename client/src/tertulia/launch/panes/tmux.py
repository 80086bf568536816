"""Panes of tmux. The server is the one that `TMUX` names; the pane is known by its terminal and its first process."""

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tertulia.launch.asking import Failed, ask
from tertulia.launch.identity import Agent, line_of
from tertulia.launch.panes import State

ACTIVE_SECONDS = 10.0
"""Whoever typed more recently than this looks at the pane, even where his terminal does not tell."""
SEEN = "#{pane_id}\t#{pane_tty}\t#{pane_pid}\t#{pane_dead}\t#{session_name}\t#{version}"
ELSEWHERE = "TMUX_PANE names a pane of another terminal, so the agent cannot be woken."


@dataclass(frozen=True, slots=True)
class Seen:
    """A pane as tmux lists it."""

    id: str
    terminal: str
    pid: int
    dead: bool
    session: str
    version: str

    def is_of(self, agent: Agent) -> bool:
        """Whether the agent's terminal is this pane's, and the agent was started in it."""
        process = agent.look()
        try:
            device = Path(self.terminal).stat().st_rdev
        except OSError:
            return False
        return process is not None and process.terminal == device and self.pid in line_of(agent.pid)


class TmuxPane:
    """One pane of one tmux server."""

    multiplexer, wakeable, note = "tmux", True, ""

    def __init__(self, tmux: Sequence[str], first: Seen, agent: Agent) -> None:
        self.version, self.session, self.id = first.version, first.session, first.id
        self._tmux = tmux
        self._first = first
        self._agent = agent
        self._buffers = 0

    async def state(self) -> State:
        """See `Pane`."""
        try:
            now = await _look(self._tmux, self.id)
        except Failed:
            return "unlisted"
        if now is None:
            return "unlisted"
        if now.dead:
            return "exited"
        if (now.terminal, now.pid) != (self._first.terminal, self._first.pid):
            return "replaced"
        return "claimed" if self._agent.look() is None or now.is_of(self._agent) else "replaced"

    async def is_focused(self) -> bool:
        """A client whose terminal has the focus and shows this pane, or one that does and was used a moment ago."""
        said = await ask([*self._tmux, "list-clients", "-F", "#{pane_id}\t#{client_flags}\t#{client_activity}"])
        for line in said.splitlines():
            pane, flags, active = line.split("\t")
            if pane == self.id and ("focused" in flags.split(",") or time.time() - float(active or 0) < ACTIVE_SECONDS):
                return True
        return False

    async def in_copy_mode(self) -> bool:
        """See `Pane`."""
        return (await self._tell("#{pane_in_mode}")) not in {"", "0"}

    async def screen(self) -> tuple[Sequence[str], int | None]:
        """See `Pane`."""
        shown = await ask([*self._tmux, "capture-pane", "-e", "-p", "-t", self.id])
        return shown.split("\n"), int(await self._tell("#{cursor_y}"))

    async def paste(self, text: str) -> None:
        """By a buffer of its own and as a bracketed paste, which no program takes for keys."""
        self._buffers += 1
        name = f"tertulia-{self._agent.pid}-{self._buffers}"
        await ask([*self._tmux, "load-buffer", "-b", name, "-"], text)
        await ask([*self._tmux, "paste-buffer", "-p", "-d", "-b", name, "-t", self.id])

    async def press_enter(self) -> None:
        """See `Pane`."""
        await ask([*self._tmux, "send-keys", "-t", self.id, "Enter"])

    async def _tell(self, what: str) -> str:
        return (await ask([*self._tmux, "display-message", "-p", "-t", self.id, what])).strip()


async def find(environment: Mapping[str, str], agent: Agent) -> tuple[TmuxPane | None, str]:
    """The pane of `TMUX_PANE`, if it is the agent's; else why not."""
    server, pane = environment.get("TMUX", "").rpartition(",")[0].rpartition(",")[0], environment.get("TMUX_PANE", "")
    program = shutil.which("tmux", path=environment.get("PATH"))
    if not server or not pane or program is None:
        return None, ""
    tmux = (program, "-S", server)
    try:
        seen = await _look(tmux, pane)
    except Failed:
        seen = None
    if seen is None or not seen.is_of(agent):
        return None, ELSEWHERE
    return TmuxPane(tmux, seen, agent), ""


async def _look(tmux: Sequence[str], pane: str) -> Seen | None:
    """The pane of this id now, of all of the server's; raises Failed."""
    for line in (await ask([*tmux, "list-panes", "-a", "-F", SEEN])).splitlines():
        name, terminal, pid, dead, session, version = line.split("\t")
        if name == pane:
            return Seen(name, terminal, int(pid), dead == "1", session, version)
    return None
