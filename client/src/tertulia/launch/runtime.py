"""The folder of one launch, in memory where there is such a place: its socket, the `granted` file, what is known of it."""

import contextlib
import errno
import json
import os
import secrets
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from tertulia.launch.identity import Peer, start_token
from tertulia.problems import Problem
from tertulia.store.files import reason

ID, FOLDER = "TERTULIA_LAUNCH_ID", "TERTULIA_LAUNCH_DIR"
"""What the agent's environment says of its launch. Neither is a secret, and neither proves anything."""
SOCKET, GRANTED, FACTS = "socket", "granted", "launch.json"
WAITING = 128
LONGEST_SOCKET = 100
"""Bytes of a socket's path, of the 108 that there are."""


@dataclass
class Running:
    """One launch of this user, as `launch.json` tells: nothing in it is secret. `launcher`: the process beside the agent.

    `connected`: whether the hub hears it now; `last_error`: what stood in the way last, one sentence; `hooks`: whether the hub
    has something to say to its hooks.
    """

    key: str
    hub: str = ""
    profile: str = ""
    command: str = ""
    harness: str = ""
    harness_version: str = ""
    pid: int = 0
    start_token: str = ""
    launcher: int = 0
    multiplexer: str = ""
    pane: str = ""
    pane_state: str = "none"
    wakeable: bool = False
    note: str = ""
    connected: bool = False
    last_error: str = ""
    granted: bool = False
    hooks: bool = False
    wake: bool = False
    handle: str = ""
    folder: str = ""

    @property
    def lives(self) -> bool:
        """Whether its agent still runs, or its launcher where nothing tells."""
        if self.start_token:
            return start_token(self.pid) == self.start_token
        with contextlib.suppress(OSError):
            os.kill(self.launcher, 0)
            return True
        return False

    @property
    def path(self) -> Path:
        """Its folder."""
        return Path(self.folder)

    def save(self) -> None:
        """Write it down, whole, and keep in step the `granted` file, without which no hook asks. In silence: it is a
        convenience."""
        with contextlib.suppress(OSError):
            _replace(self.path / FACTS, json.dumps(asdict(self), indent=1))
            if self.granted or self.hooks:
                (self.path / GRANTED).touch(0o600)
            else:
                (self.path / GRANTED).unlink(missing_ok=True)


def _replace(path: Path, text: str) -> None:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".", delete=False) as file:
        file.write(text)
    Path(file.name).replace(path)


def new_key() -> str:
    """What a new launch is called: `l-` and 16 hex digits."""
    return f"l-{secrets.token_hex(8)}"


def make_folder(key: str) -> Path:
    """An empty folder for this launch; raises Problem."""
    place = next(each for each in _places() if len(os.fsencode(each / key / SOCKET)) <= LONGEST_SOCKET)
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        if not _is_private(place):
            raise Problem(
                f"Others can open {place}; remove it, or set XDG_RUNTIME_DIR to a folder of your own, then launch again."
            )
        (place / key).mkdir(mode=0o700)
    except OSError as error:
        raise Problem(f"Cannot make a folder in {place}: {reason(error)}.") from None
    return place / key


def _places() -> Iterator[Path]:
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if Path(given).is_absolute() and os.access(given, os.W_OK):
        yield Path(given) / "tertulia"
    yield Path("/tmp") / f"tertulia-{os.geteuid()}"  # noqa: S108 - looked at before it is used


def _is_private(place: Path) -> bool:
    """Whether it is a folder of this user's, open to nobody else: anybody can be first to make one in /tmp."""
    try:
        found = place.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077


def _facts() -> Iterator[Path]:
    """The `launch.json` of each launch of this user, in folders that are his alone."""
    for place in filter(_is_private, _places()):
        yield from sorted(place.glob(f"l-*/{FACTS}"))


def listen(folder: Path) -> socket.socket:
    """The launch's socket, listening: who connects before it is served waits."""
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.bind(str(folder / SOCKET))
    (folder / SOCKET).chmod(0o600)
    door.listen(WAITING)
    return door


def connected(folder: str | Path, seconds: float | None = None) -> socket.socket:
    """A connection to the launcher in this folder; raises OSError, also where another user listens there."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.settimeout(seconds)
        link.connect(f"{folder}/{SOCKET}")
        with contextlib.closing(Peer(link)) as launcher:
            if not launcher.is_own():
                raise PermissionError(errno.EPERM, "Another user listens there")
    except OSError:
        link.close()
        raise
    return link


def remove(folder: Path) -> None:
    """Take the folder of a launch away."""
    shutil.rmtree(folder, ignore_errors=True)


def launches() -> list[Running]:
    """The launches of this user on this machine whose agents live."""
    found = map(read, _facts())
    return [each for each in found if each is not None and each.lives]


def read(path: Path) -> Running | None:
    """What one `launch.json` tells; None for what is none."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        raw = json.loads(path.read_text())
        known = {each.name for each in fields(Running)}
        return Running(**{**{name: value for name, value in raw.items() if name in known}, "folder": str(path.parent)})
    return None


def sweep() -> None:
    """Take away the folders of launches that ended without a word."""
    for path in list(_facts()):
        if (found := read(path)) is not None and not found.lives:
            remove(found.path)
