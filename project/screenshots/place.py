"""A data folder and a port of its own, chosen before the settings load, so that nothing of the operator's is touched."""

import atexit
import os
import shutil
import socket
import tempfile
from pathlib import Path

PREFIX = "tertulia-screenshots-"
SETTINGS = ("TERTULIA_", "CHAT_", "AGENT_", "SESSION_", "PUSH_")
SERVICES = ("DATABASE_URL", "REDIS_URL")


def throw_away() -> None:
    """Put a folder that goes with this process, a free port and no other setting into the environment."""
    for name in [name for name in os.environ if name.startswith(SETTINGS) or name in SERVICES]:
        del os.environ[name]
    home = tempfile.mkdtemp(prefix=PREFIX)
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ.update(TERTULIA_HOME=home, TERTULIA_PORT=str(free_port()), TERTULIA_LOG_LEVEL="ERROR")


def is_throw_away(home: Path) -> bool:
    """Whether `throw_away` made this folder."""
    return home.name.startswith(PREFIX)


def free_port() -> int:
    """A port of this machine that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
