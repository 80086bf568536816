"""The multiplexer: only in a pane of one can an idle agent be woken."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator

from tertulia.doctor.findings import Finding, note, ok, problem

SECONDS = 3.0
LEAST_ZELLIJ = (0, 44)
SIGNS = {"TMUX": ("tmux", "-V"), "ZELLIJ": ("zellij", "--version")}


def look() -> Iterator[Finding]:
    """The multiplexer of this terminal."""
    for sign, (program, version) in SIGNS.items():
        if os.environ.get(sign):
            yield _seen(program, version)
            return
    yield note("multiplexer", "This terminal is in no pane of tmux or Zellij: an agent started here cannot be woken.", "tmux")


def _seen(program: str, version: str) -> Finding:
    if shutil.which(program) is None:
        return problem("multiplexer", f"This terminal is in {program}, whose command is not found.", f"put {program} into PATH")
    try:
        said = subprocess.run([program, version], capture_output=True, text=True, timeout=SECONDS, check=False).stdout.strip()  # noqa: S603
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return problem("multiplexer", f"{program} does not answer.", f"look what `{program} {version}` says")
    numbers = tuple(map(int, re.findall(r"\d+", said)[:2]))
    if program == "zellij" and numbers < LEAST_ZELLIJ:
        return problem("multiplexer", f"{said} cannot write into a pane that is not focused.", "install Zellij 0.44 or newer")
    return ok("multiplexer", f"{said}: an agent started here can be woken.")
