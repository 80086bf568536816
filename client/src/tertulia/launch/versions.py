"""What a harness says its version is: asked beside it, quietly, and not for long."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
from collections.abc import Sequence

from tertulia.launch.harness import name_of

VERSION = re.compile(r"\d+\.\d+[0-9A-Za-z.+-]*")
SECONDS = 5.0
ASKED = frozenset({"claude", "codex", "pi"})
"""Harnesses whose version is asked for; any other command may do anything when it is run again."""


async def version_of(command: Sequence[str]) -> str:
    """What `--version` of a known harness prints, empty where it says none in time. It sees no terminal of ours."""
    name = name_of(command)
    program = shutil.which(command[0])
    if program is None or name not in ASKED:
        return ""
    silent = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        program, "--version", stdin=silent, stdout=asyncio.subprocess.PIPE, stderr=silent, start_new_session=True
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    except TimeoutError:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        return ""
    found = VERSION.search(said[:4096].decode(errors="replace"))
    return found.group()[:64] if found else ""
