"""A file that only its owner may read, and that is either whole or not there."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from core.errors import Conflict, Invalid


@contextmanager
def private_file(name: str, *, replace: bool) -> Iterator[TextIO]:
    """A text file to write, 0600, which stands under `name` once all is written and on the disk, and never before.

    `replace`: a regular file of that name makes room for it. Raises Conflict where there is one and it may not, Invalid with
    the system's reason where the file cannot be written whole; then nothing is left of it.
    """
    path = Path(name)
    _check_place(path, replace=replace)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as out:
                os.fchmod(descriptor, 0o600)
                yield out
                out.flush()
                os.fsync(descriptor)
            _move(part, path, replace=replace)
        finally:
            with suppress(OSError):
                part.unlink()
    except FileExistsError:
        raise _is_there(name) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Invalid(f"{name} could not be written ({error.strerror}), and nothing is left of it; give another place.") from None


def _check_place(path: Path, *, replace: bool) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        raise Invalid(f"{path} cannot be written; give another file.") from None
    if not stat.S_ISREG(found.st_mode):
        raise Invalid(f"{path} is no regular file; give another one.")
    if not replace:
        raise _is_there(str(path))


def _is_there(name: str) -> Conflict:
    return Conflict(f"{name} is there already; give another file, or --force to replace it.")


def _link(part: Path, path: Path) -> None:
    """A link refuses where a file has come meanwhile; a rename would not, and stands in where there are no links."""
    try:
        os.link(part, path)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}:
            raise
        part.rename(path)


def _move(part: Path, path: Path, *, replace: bool) -> None:
    if replace:
        part.replace(path)
    else:
        _link(part, path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
