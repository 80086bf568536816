"""What the hub needs of the machine before it starts: its port, its folder for itself, many open files."""

import contextlib
import errno
import fcntl
import os
import resource
import socket
from collections.abc import Iterator
from pathlib import Path

from core.errors import Conflict, Invalid
from project.address import with_port


@contextlib.contextmanager
def sole_hub(folder: Path) -> Iterator[None]:
    """Within, no other `up` runs on this data folder. Raises Conflict; the kernel lets go when this process ends."""
    descriptor = os.open(folder / "up.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Conflict(
                f"A hub runs on the data folder {folder} already (process {handle.read().strip() or 'unknown'}); "
                "stop it first, or set TERTULIA_HOME to another folder."
            ) from None
        handle.truncate()
        handle.write(f"{os.getpid()}\n")
        handle.flush()
        yield


def check_port(host: str, port: int) -> None:
    """Raise Conflict or Invalid when nothing could listen there."""
    try:
        places = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise Invalid(f"{host} is no address of this machine; give --host an address such as 127.0.0.1.") from None
    family, kind, protocol, _, place = places[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(place)
            probe.listen()
        except OSError as error:
            raise _refusal(error, host, port) from None


def _refusal(error: OSError, host: str, port: int) -> Conflict | Invalid:
    if error.errno == errno.EADDRINUSE:
        return Conflict(f"Port {port} on {host} is in use; stop what listens there, or choose another with --port.")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return Invalid(f"This user may not listen on port {port}; choose a port from 1024 with --port.")
    if error.errno == errno.EADDRNOTAVAIL:
        return Invalid(f"{host} is no address of this machine; give --host an address such as 127.0.0.1.")
    return Invalid(f"The hub cannot listen on {with_port(host, port)} ({error.strerror}); choose another --host or --port.")


def raise_open_files() -> int:
    """Let this process and its children open as many files as the system allows; answers how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
