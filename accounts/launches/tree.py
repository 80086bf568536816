"""Whether this process belongs to an agent on the hub's own machine: there the owner's commands are not for whoever types.

A courtesy to the owner, not a wall: a process that leaves the agent's tree and its environment is not told from him.
"""

import os
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path

from accounts.models import Launch

MARKS = ("TERTULIA_LAUNCH_ID", "TERTULIA_RUN_TOKEN")
"""What the environment of a launched agent, and of a program that the hub runs, holds."""
LONGEST_LINE = 64
"""Parents followed at most."""


def is_agents(environment: Mapping[str, str] | None = None) -> bool:
    """By the environment that an agent is started with, else by descent from a live launch on this machine."""
    held = os.environ if environment is None else environment
    return any(held.get(name) for name in MARKS) or _descends()


def _descends() -> bool:
    above = dict(_line_above(os.getppid()))
    running = Launch.objects.live().filter(host=platform.node(), pid__in=list(above)) if above else ()
    return any(above[each.pid] == each.start_token for each in running)


def _line_above(pid: int) -> Iterator[tuple[int, str]]:
    """The line of parents, each with when it began, in the words of a launch's `start_token`; nothing where there is no /proc."""
    boot = _read("/proc/sys/kernel/random/boot_id").strip()
    for _ in range(LONGEST_LINE):
        rest = _read(f"/proc/{pid}/stat").rpartition(") ")[2].split()  # a name may hold anything, brackets too
        if pid <= 1 or not boot or len(rest) < 20:
            return
        yield pid, f"{boot}:{rest[19]}"
        pid = int(rest[1])


def _read(name: str) -> str:
    try:
        return Path(name).read_text(errors="replace")
    except OSError:
        return ""
