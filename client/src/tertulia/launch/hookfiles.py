"""The two files behind every hook, in the client's own folder: harnesses are pointed at the first, whose name never changes."""

import shlex
import sys
import tempfile
from pathlib import Path

from tertulia.problems import Problem
from tertulia.store.files import folder, make_own, reason

SHELL_FILE, PYTHON_FILE = "tertulia-hook", "hook.py"
SHELL = """#!/bin/sh
# Tells a harness that tertulia launched of its unread chat mentions and of what was pushed to its owner: sh tertulia-hook
# HARNESS, the event on standard input.
# Prints nothing and ends with 0 where anything is missing. Written by tertulia; a change here is overwritten.
[ -n "$TERTULIA_LAUNCH_ID" ] || exit 0
[ -e "$TERTULIA_LAUNCH_DIR/granted" ] || exit 0
{python} -I -S {script} "$@" 2>/dev/null
exit 0
"""


def install() -> Path:
    """Put both files in their place, unless they lie there already; the shell file. Raises Problem."""
    place = folder() / "hooks"
    script = place / PYTHON_FILE
    shell = SHELL.format(python=shlex.quote(sys.executable), script=shlex.quote(str(script)))
    _write(script, (Path(__file__).parent / PYTHON_FILE).read_text())
    _write(place / SHELL_FILE, shell)
    return place / SHELL_FILE


def shell_file() -> Path:
    """Where the shell file lies once installed."""
    return folder() / "hooks" / SHELL_FILE


def _write(path: Path, text: str) -> None:
    """Replaced whole: a hook may be reading it at this moment."""
    try:
        for each in (path.parent.parent, path.parent):
            make_own(each)  # a harness runs what lies there
        if path.exists() and path.read_text() == text:
            return
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            file.write(text)
        Path(file.name).replace(path)
    except OSError as error:
        raise Problem(f"Cannot write {path}: {reason(error)}; mend the folder's rights, or set TERTULIA_CLIENT_HOME.") from None
