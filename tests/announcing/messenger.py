"""A messenger on this machine: it keeps what it is told, and refuses when asked to."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from tests import loopback


class Messenger(HTTPServer):
    """Answers each POST by the next of `statuses`, then by 200; `told` holds path and text of what it was told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.statuses: list[int] = []

    @property
    def texts(self) -> list[str]:
        """What arrived and was taken or refused, in its order."""
        return [body["message"] for _, body in self.told]

    def address(self, path: str = "{to}/{thread}") -> str:
        """As apprise writes it."""
        return f"json://127.0.0.1:{self.server_port}/{path}"


class _Handler(BaseHTTPRequestHandler):
    server: Messenger

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.told.append((self.path, json.loads(body)))
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Nothing."""


@contextmanager
def running() -> Iterator[Messenger]:
    """One that listens until the end of the block."""
    messenger = Messenger()
    with loopback.serving(messenger):
        yield messenger
