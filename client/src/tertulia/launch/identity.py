"""Which process is which: by its number and by when the kernel says it began, for a number alone is used again. Linux.

A process is the agent's if its line of parents leads to the launched one. Nothing a process says about itself counts.
"""

import os
import select
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LONGEST_LINE = 64
"""Parents followed at most."""
PEER_PIDFD = 77
"""SO_PEERPIDFD of Linux 6.5, which Python does not name."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process. `began`: clock ticks since the machine started; `group`, `foreground`: its process group, and the one that
    its terminal listens to (-1: no terminal); `terminal`: the device number, 0 for none."""

    pid: int
    state: str
    parent: int
    group: int
    terminal: int
    foreground: int
    began: int

    @property
    def lives(self) -> bool:
        """Whether it still runs, or is stopped."""
        return self.state not in "ZXx"


def look_at(pid: int) -> Process | None:
    """The process of this number now; None where there is none, and where there is no Linux."""
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    rest = line[line.rindex(b")") + 2 :].split()  # a name may hold anything, brackets too
    state, parent, group, _, terminal, foreground = rest[:6]
    return Process(pid, state.decode(), int(parent), int(group), _device(int(terminal)), int(foreground), int(rest[19]))


def _device(packed: int) -> int:
    """As `stat` numbers devices: the kernel packs them otherwise here."""
    return os.makedev((packed >> 8) & 0xFFF, (packed & 0xFF) | ((packed >> 12) & 0xFFF00)) if packed else 0


@cache
def _boot() -> str:
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def start_token(pid: int) -> str:
    """When it began, as no other process of this number ever did; empty where nothing tells."""
    found = look_at(pid)
    return f"{_boot()}:{found.began}" if found and _boot() else ""


def name_of(pid: int) -> str:
    """What the program of a process is called, at most 15 characters; empty where nothing tells."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    return ""


def parent_of(pid: int) -> int:
    """The number of its parent, 0 where nothing tells."""
    found = look_at(pid)
    return found.parent if found else 0


def line_of(pid: int) -> Iterator[int]:
    """Its number, its parent's, and so on; at most `LONGEST_LINE` of them."""
    for _ in range(LONGEST_LINE):
        if pid <= 0:
            return
        yield pid
        pid = parent_of(pid)


@dataclass(frozen=True, slots=True)
class Agent:
    """The launched process, for as long as it lives. `token` empty: it cannot be told from a later one, and is never itself."""

    pid: int
    token: str

    def look(self) -> Process | None:
        """It, if it is still there and still itself."""
        found = look_at(self.pid)
        same = found is not None and found.lives and bool(self.token) and start_token(self.pid) == self.token
        return found if same else None

    def is_above(self, pid: int) -> bool:
        """Whether a process is the agent or descends from it."""
        return self.pid in line_of(pid) and self.look() is not None


class Peer:
    """Who opened the other end of a Unix socket: the process, held so that no other can pass for it."""

    def __init__(self, link: socket.socket) -> None:
        told = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.pid, self.uid = int(struct.unpack("3i", told)[0]), int(struct.unpack("3i", told)[1])
        self.token = start_token(self.pid)
        self._handle = -1
        with suppress(OSError):
            self._handle = link.getsockopt(socket.SOL_SOCKET, PEER_PIDFD)

    def close(self) -> None:
        """Let go of it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def is_own(self) -> bool:
        """Whether it is the same user's."""
        return self.uid == os.geteuid()

    def belongs_to(self, agent: Agent) -> bool:
        """Whether, at this moment, it is that very process, the same user's, and of the agent's tree."""
        return self.is_own() and bool(self.token) and agent.is_above(self.pid) and self._is_itself()

    def _is_itself(self) -> bool:
        """Asked last: had it ended, all that was read before may be of another process of its number."""
        ended = self._handle >= 0 and bool(select.select([self._handle], [], [], 0)[0])
        return not ended and start_token(self.pid) == self.token
