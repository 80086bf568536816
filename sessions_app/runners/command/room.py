"""Where a command runs: a private folder with what leads back to the hub, and an environment with little in it."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SSL_CERT_FILE")
CONFIG = "mcp.json"


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder that only the hub's user enters, beneath the hub's data, removed afterwards with what it holds."""
    parent = Path(settings.TERTULIA_HOME) / "runs"
    parent.mkdir(mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=parent, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def write_private(file: Path, text: str) -> None:
    """A file for the hub's user alone, 0600 from its first moment."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "w") as kept:
        kept.write(text)


def environment(names: Iterable[str], more: Mapping[str, str], source: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a program of the agent sees: a few names that every program needs, those its owner lists, and ours. None of the
    hub's own settings and secrets."""
    held = os.environ if source is None else source
    kept = {name: held[name] for name in (*INHERITED, *names) if name in held}
    return {"PATH": os.defpath, **kept, "TERM": "dumb", "NO_COLOR": "1", **more}
