"""The hub's ASGI application at a real address of this machine, served by uvicorn in a thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from django.db import connections

from accounts.oauth import endpoints
from project.asgi import make_application  # now: it sets up the log, which within a test would write to that test's own stream
from tests.running.hub import free_port

SECONDS = 20


class Server(uvicorn.Server):
    """Says when it listens."""

    listening: threading.Event

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    def run(self, sockets: Any = None) -> None:
        """Also closes what was opened in its thread: executors run their work in place in tests."""
        try:
            super().run(sockets)
        finally:
            connections.close_all()


@contextmanager
def serving(settings: Any) -> Iterator[str]:
    """The hub's address, which its settings name for as long."""
    port = free_port()
    _move(settings, f"http://127.0.0.1:{port}")
    server = Server(uvicorn.Config(make_application(), host="127.0.0.1", port=port, log_config=None, access_log=False))
    server.listening = threading.Event()
    thread = threading.Thread(target=server.run, daemon=True)
    _forget_addresses()
    thread.start()
    assert server.listening.wait(SECONDS)
    yield settings.TERTULIA_URL
    server.should_exit = True
    thread.join(SECONDS)
    assert not thread.is_alive()
    _forget_addresses()


def _move(settings: Any, address: str) -> None:
    before, settings.TERTULIA_URL = settings.TERTULIA_URL, address
    settings.TERTULIA_RESOURCE = f"{address}/mcp"
    settings.CSRF_TRUSTED_ORIGINS = [address]
    settings.OAUTH2_PROVIDER = {
        name: value.replace(before, address) if isinstance(value, str) else value
        for name, value in settings.OAUTH2_PROVIDER.items()
    }


def _forget_addresses() -> None:
    """The library keeps its server, and the device page's address in it, for the life of a process."""
    for kept in (endpoints.Server, endpoints.DeviceServer):
        if "_oauthlib_core" in vars(kept):
            del kept._oauthlib_core
