"""`tertulia mcp`: the MCP server a harness starts. Its lines go to the launcher, the launcher's come back; it knows no more."""

import contextlib
import os
import socket
import sys
import threading

from tertulia.launch.runtime import FOLDER, connected
from tertulia.problems import FAILED, OK, Problem

CHUNK = 1 << 16
NOT_LAUNCHED = "There is no launcher here; start the agent with: tertulia launch -- COMMAND"


def run() -> int:
    """Until either side closes; the exit code. Raises Problem where no launcher listens."""
    link = _connected()
    link.sendall(b"mcp\n")
    threading.Thread(target=_pass_on, args=(link,), daemon=True).start()
    with contextlib.suppress(OSError):
        while part := link.recv(CHUNK):
            _write(part)
    return OK


def _connected() -> socket.socket:
    folder = os.environ.get(FOLDER, "")
    if not folder:
        raise Problem(NOT_LAUNCHED)
    try:
        return connected(folder)
    except OSError:
        raise Problem(NOT_LAUNCHED) from None


def _pass_on(link: socket.socket) -> None:
    """The harness's lines; its end is passed on too, and what was asked is still answered."""
    with contextlib.suppress(OSError):
        while part := os.read(0, CHUNK):
            link.sendall(part)
        link.shutdown(socket.SHUT_WR)


def _write(part: bytes) -> None:
    while part:
        part = part[os.write(1, part) :]


def main() -> None:
    """As a program of its own, without what the command line takes to load."""
    try:
        code = run()
    except Problem as problem:
        sys.stderr.write(f"tertulia: {problem}\n")
        code = FAILED
    os._exit(code)  # the thread may be reading for ever


if __name__ == "__main__":
    main()
