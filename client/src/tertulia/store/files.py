"""Files for one user alone: JSON, mode 0600, in a folder of mode 0700, replaced whole, one writer at a time."""

import contextlib
import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tertulia.problems import Problem

OTHERS = 0o077
OTHERS_WRITE = 0o022
LARGEST = 4 * 1024 * 1024


def folder() -> Path:
    """`TERTULIA_CLIENT_HOME`, else `tertulia` in `XDG_CONFIG_HOME`, else in `~/.config`."""
    if own := os.environ.get("TERTULIA_CLIENT_HOME"):
        return Path(own).absolute()
    shared = os.environ.get("XDG_CONFIG_HOME", "")
    if Path(shared).is_absolute():
        return Path(shared) / "tertulia"
    try:
        return Path.home() / ".config" / "tertulia"
    except RuntimeError:
        raise Problem("This user has no home folder; set TERTULIA_CLIENT_HOME to a folder for the sign-in.") from None


def make_own(place: Path) -> None:
    """Make a folder where there is none; raises OSError, and Problem for one that other users can write in."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = place.stat()
    if stat.S_IMODE(found.st_mode) & OTHERS_WRITE or found.st_uid not in {os.geteuid(), 0}:
        raise Problem(f"Other users can write in {place}; run: chmod 700 '{place}'")


class PrivateFile:
    """One JSON object in a file."""

    def __init__(self, name: str) -> None:
        self.path = folder() / name

    def read(self) -> dict[str, Any]:
        """The object, empty where there is no file; raises Problem, also for a file that others can read."""
        try:
            with self.path.open("rb") as file:
                self._check_private(os.fstat(file.fileno()))
                raw = file.read(LARGEST)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise Problem(f"Cannot read {self.path}: {reason(error)}.") from None
        return self._parse(raw)

    def _parse(self, raw: bytes) -> dict[str, Any]:
        try:
            data = json.loads(raw)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise Problem(f"{self.path} is damaged; remove it and run the command again.")
        return data

    def _check_private(self, found: os.stat_result) -> None:
        if found.st_uid != os.geteuid():
            raise Problem(f"{self.path} belongs to another user; remove it, or set TERTULIA_CLIENT_HOME to a folder of your own.")
        if stat.S_IMODE(found.st_mode) & OTHERS:
            raise Problem(f"Other users can open {self.path}; run: chmod 600 '{self.path}'")

    def write(self, data: dict[str, Any]) -> None:
        """Put `data` in the place of what was there; raises Problem, and then what was there is still there."""
        self._replace(json.dumps(data, indent=1).encode(), keep=True)

    def forget(self, name: str) -> None:
        """Take what stands under a name out of it; raises as `read` and `write`."""
        if name in self.read():
            with self.locked():
                self.write({other: kept for other, kept in self.read().items() if other != name})

    def rehearse(self) -> None:
        """Raise Problem now if a `write` would fail for want of room or leave."""
        self._replace(json.dumps(self.read(), indent=1).encode() + b" " * 4096, keep=False)

    def _replace(self, raw: bytes, *, keep: bool) -> None:
        try:
            make_own(self.path.parent)
            handle, beside = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(raw)
                    file.flush()
                    os.fsync(file.fileno())
                if keep:
                    Path(beside).replace(self.path)
            finally:
                with contextlib.suppress(OSError):
                    Path(beside).unlink()
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> Problem:
        return Problem(
            f"Cannot write {self.path}: {reason(error)}; what it held is untouched. "
            "Make room or mend the folder's rights, or set TERTULIA_CLIENT_HOME to another folder."
        )

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only process between a read and its write."""
        try:
            make_own(self.path.parent)
            handle = os.open(self.path.with_name(f"{self.path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def reason(error: OSError) -> str:
    """What the system says of it, in small letters within a sentence."""
    said = error.strerror or "it failed"
    return said[:1].lower() + said[1:]
