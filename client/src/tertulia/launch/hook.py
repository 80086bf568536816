"""Run by the shell file for each event of a harness: hands standard input to the launcher, prints what it answers.

Run as `python -I -S hook.py HARNESS [EVENT]`, with built-in modules alone: each further import would double its time. Whatever
goes wrong, it prints nothing and ends with 0, within `SECONDS`.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import posix
import sys

SECONDS = 0.15
MOST_BYTES = 1 << 20
"""An event larger than this says nothing to anybody; it is read to its end all the same, for the harness writes it."""


def main() -> None:
    """Tell the launcher, print its answer if it came whole."""
    _signal.signal(_signal.SIGALRM, lambda *_: posix._exit(0))
    _signal.setitimer(_signal.ITIMER_REAL, SECONDS)
    harness, event = (*sys.argv[1:], "-", "-")[:2]
    given = _given()
    if given is not None:
        answer = _asked(f"hook {harness} {event}\n".encode() + given)
        if answer.endswith(b"\n"):
            posix.write(1, answer)


def _given() -> bytes | None:
    """Standard input, None where it is too much."""
    parts, length = [], 0
    while part := posix.read(0, 1 << 16):
        length += len(part)
        if length <= MOST_BYTES:
            parts.append(part)
    return b"".join(parts) if length <= MOST_BYTES else None


def _asked(request: bytes) -> bytes:
    link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    link.connect(posix.environ[b"TERTULIA_LAUNCH_DIR"] + b"/socket")
    if not _is_own(link):
        return b""
    link.sendall(request)
    link.shutdown(_socket.SHUT_WR)
    answer = b""
    while len(answer) <= MOST_BYTES and (part := link.recv(1 << 16)):
        answer += part
    return answer


def _is_own(link: _socket.socket) -> bool:
    """Whether this very user listens there: to another's socket no word of the agent's goes, and none of his comes back."""
    pid_uid_gid = link.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(pid_uid_gid[4:8], sys.byteorder) == posix.geteuid()


if __name__ == "__main__":
    try:
        main()
    finally:
        posix._exit(0)  # before any word of what went wrong
