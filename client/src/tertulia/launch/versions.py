"""What a harness says its version is: asked beside it, and not for long."""

import re
import shutil
from collections.abc import Sequence

from tertulia.launch.asking import Failed, ask
from tertulia.launch.harness import name_of

VERSION = re.compile(r"\d+\.\d+[0-9A-Za-z.+-]*")
SECONDS = 5.0
ASKED = frozenset({"claude", "codex", "pi"})
"""Harnesses whose version is asked for; any other command may do anything when it is run again."""


async def version_of(command: Sequence[str]) -> str:
    """What `--version` of a known harness prints, empty where it says none in time."""
    program = shutil.which(command[0])
    if program is None or name_of(command) not in ASKED:
        return ""
    try:
        found = VERSION.search((await ask([program, "--version"], seconds=SECONDS))[:4096])
    except Failed:
        return ""
    return found.group()[:64] if found else ""
