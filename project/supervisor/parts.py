"""The hub's processes and the command line of each. docs/operations.md shows the same lines for those who run them alone."""

import sys
from dataclasses import dataclass

from django.conf import settings

APPLICATION = "project.asgi:application"
CELERY = ("-m", "celery", "-q", "-A", "project.celery")
WORKER = ("--pool", "threads", "--without-gossip", "--without-mingle", "--without-heartbeat")
LISTEN = ("manage.py", "listen")
KEEP_ALIVE_SECONDS = 75
"""Longer than any proxy keeps an idle connection, so that none is closed under a request."""

MOST_SAID = 65_536
"""Bytes a WebSocket's message may have: our pages say nothing at all."""


@dataclass(frozen=True, slots=True)
class Part:
    """One process: the name in its log lines, what is executed, and whether the others wait until it answers."""

    name: str
    command: tuple[str, ...]
    first: bool = False


def parts() -> list[Part]:
    """Everything the embedded default needs, by the settings of this process."""
    return [
        Part("web", (sys.executable, *web()), first=True),
        Part("short", (sys.executable, *worker("short", threads=2))),
        Part("runs", (sys.executable, *worker("runs", threads=settings.RUN_THREADS))),
        Part("beat", (sys.executable, *CELERY, "beat")),
        Part("listen", (sys.executable, *LISTEN)),
    ]


def web() -> tuple[str, ...]:
    """The server the settings choose."""
    return _uvicorn() if settings.TERTULIA_SERVER == "uvicorn" else _daphne()


def worker(queue: str, *, threads: int) -> tuple[str, ...]:
    """A Celery worker of one queue."""
    return (*CELERY, "worker", "-Q", queue, "-n", f"{queue}@%h", "--concurrency", str(threads), *WORKER)


def _daphne() -> tuple[str, ...]:
    """Never `--http-timeout`: it would cut a held call."""
    address = ("-b", settings.TERTULIA_HOST, "-p", str(settings.TERTULIA_PORT))
    proxy = ("--proxy-headers",) if settings.TERTULIA_PROXY_HEADERS else ()
    return ("-m", "daphne", "-v", "0", *address, "--no-server-name", *proxy, APPLICATION)


def _uvicorn() -> tuple[str, ...]:
    address = ("--host", settings.TERTULIA_HOST, "--port", str(settings.TERTULIA_PORT))
    proxy = "--proxy-headers" if settings.TERTULIA_PROXY_HEADERS else "--no-proxy-headers"
    quiet = ("--log-level", "warning", "--no-access-log", "--no-server-header")
    spoken = ("--ws-max-size", str(MOST_SAID))
    held = ("--timeout-keep-alive", str(KEEP_ALIVE_SECONDS), "--timeout-graceful-shutdown", "2")
    return ("-m", "uvicorn", *address, *quiet, *held, *spoken, proxy, APPLICATION)
