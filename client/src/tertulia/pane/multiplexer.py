"""Opens another chat pane beside this one, in the multiplexer that this terminal is in."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable

from tertulia.problems import Problem
from tertulia.store.files import folder

SECONDS = 5.0
Environment = dict[str, str]


def open_pane(hub: str) -> None:
    """Open it; raises Problem where there is no multiplexer, or it does not."""
    command = ["env", f"TERTULIA_CLIENT_HOME={folder()}", sys.executable, "-m", "tertulia", "chat", "--hub", hub]
    opened = next((opens(command) for sign, opens in MULTIPLEXERS.items() if os.environ.get(sign)), None)
    if opened is None:
        raise Problem("This terminal is under no multiplexer; start tmux or Zellij, and the pane in it.")
    try:
        done = subprocess.run(opened, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603 - our own words
    except (OSError, subprocess.TimeoutExpired):
        done = None
    if done is None or done.returncode:
        raise Problem(f"{opened[0]} opened no pane; open one yourself and run there: tertulia chat")


def _tmux(command: list[str]) -> list[str]:
    beside = ["-t", os.environ["TMUX_PANE"]] if os.environ.get("TMUX_PANE") else []
    return ["tmux", "split-window", "-h", *beside, shlex.join(command)]


def _zellij(command: list[str]) -> list[str]:
    return ["zellij", "action", "new-pane", "--direction", "right", "--close-on-exit", "--", *command]


MULTIPLEXERS: dict[str, Callable[[list[str]], list[str]]] = {"TMUX": _tmux, "ZELLIJ": _zellij}
"""By the variable that says that this terminal is in one: what opens a pane there."""
