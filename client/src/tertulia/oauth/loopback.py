"""Where the browser brings the answer of a sign-in: one page on a port of 127.0.0.1 (RFC 8252 §7.3)."""

import hmac
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

PATH = "/callback"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tertulia</title>
<style>:root{{color-scheme:light dark}}body{{font:1.1rem system-ui;margin:20vh auto;max-width:30rem;padding:0 1rem}}</style>
<p>{sentence}</p></html>"""
CAME = "The hub's answer has arrived. Close this page and go back to the terminal."
STRANGE = "This is not the answer that the terminal waits for. Start again there: tertulia login"
Parameters = dict[str, str]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, state: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.state = state
        self.arrived: queue.Queue[Parameters] = queue.Queue()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that broke off is no news for the terminal."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10
    server_version = "tertulia"
    sys_version = ""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path != PATH:
            self._show(404, STRANGE)
            return
        given = parse_qs(parts.query, keep_blank_values=True, max_num_fields=50)
        parameters = {name: values[0] for name, values in given.items() if len(values) == 1}
        if not hmac.compare_digest(parameters.get("state", "").encode(), self.server.state.encode()):
            self._show(400, STRANGE)
            return
        self._show(200, CAME)
        self.server.arrived.put(parameters)

    def _show(self, status: int, sentence: str) -> None:
        page = PAGE.format(sentence=sentence).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.send_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """The address holds the code."""


class Listener:
    """Listens while its context lasts."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self.redirect_uri = f"http://127.0.0.1:{server.server_port}{PATH}"

    def wait(self, seconds: float) -> Parameters | None:
        """The parameters of the first answer with the right state, None when the time is up."""
        try:
            return self._server.arrived.get(timeout=seconds)
        except queue.Empty:
            return None


@contextmanager
def listening(state: str) -> Iterator[Listener]:
    """Listen for an answer that carries `state`; anything else is turned away."""
    server = _Server(state)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield Listener(server)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
