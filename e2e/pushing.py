"""Push servers that nobody here wrote, and the owner who has the hub listen to them."""

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx2

from e2e.browser import Browser, Page
from e2e.harness import npm_folder, program
from e2e.hub import Hub
from tests.running.hub import free_port

T = TypeVar("T")
SECONDS = 90.0
LINK = re.compile(r'href="([^"]*response_type=code[^"]*)"')
EVERYTHING = "mcp-server-everything"


def node() -> str:
    """A Node.js that is new enough, whatever this machine has."""
    return str(npm_folder() / "node_modules" / "node" / "bin" / "node")


def eventually(look: Callable[[], T | None], what: str, seconds: float = SECONDS) -> T:
    """What `look` finds, once it finds something."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        found = look()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"waited {seconds} s for {what}")


def everything_argv() -> list[str]:
    """The server as a program that speaks stdio."""
    return [node(), str(program(EVERYTHING)), "stdio"]


@contextmanager
def everything(kind: str, port: int | None = None) -> Iterator[str]:
    """The server over `sse` or `streamableHttp`; its address."""
    port = port or free_port()
    process = subprocess.Popen(
        [node(), str(program(EVERYTHING)), kind],
        env={**os.environ, "PORT": str(port)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        eventually(lambda: answers(port), f"{EVERYTHING} at {port}")
        yield f"http://127.0.0.1:{port}/{'sse' if kind == 'sse' else 'mcp'}"
    finally:
        process.kill()
        process.wait()


def answers(port: int) -> bool:
    """Whether anything does there."""
    try:
        httpx2.get(f"http://127.0.0.1:{port}/", timeout=2)
    except httpx2.TransportError:
        return False
    return True


class PushOwner:
    """The owner at his pages of push servers, signed in."""

    def __init__(self, hub: Hub, browser: Browser) -> None:
        self.hub, self._browser = hub, browser
        hub.owner.signed_in(browser, browser.open(f"{hub.url}/admin/"))

    def add(self, *servers: dict[str, Any]) -> None:
        """Paste servers into the page that imports them."""
        page = self._browser.open(f"{self.hub.url}/admin/push-servers/import/")
        answer = self._browser.submit(page, page.form_with("file"), text=json.dumps({"servers": list(servers)}))
        assert all(each["name"] in answer.text for each in servers), answer.text[:1000]

    def told(self, path: str, **query: str | int) -> Any:
        """What the hub's REST door tells the owner."""
        return json.loads(self._browser.open(f"{self.hub.url}/api/channel/{path}?{urlencode(query)}").html)

    def server(self, name: str) -> dict[str, Any]:
        """How a server stands."""
        found: dict[str, Any] = next(each for each in self.told("status/")["servers"] if each["name"] == name)
        return found

    def until(self, name: str, state: str) -> dict[str, Any]:
        """Wait until the server stands so."""
        return eventually(lambda: ((found := self.server(name))["state"] == state and found) or None, f"{name} {state}")

    def messages(self, server: str) -> list[dict[str, Any]]:
        """What is in the inbox of that server, oldest first."""
        found: list[dict[str, Any]] = self.told("messages/", server=server)["results"][::-1]
        return found

    def sign_in(self, name: str) -> None:
        """Sign the hub in: there, where the service allows it at once, and back."""
        page = self._page_of(name, "sign-in")
        shown = self._browser.submit(page, page.form_with("client_id"))
        there = unescape(LINK.search(shown.html)[1])  # type: ignore[index]
        assert f"is signed in to {name}" in self._browser.open(there).text

    def restart(self, name: str) -> None:
        """Have its listener connect anew."""
        page = self._page_of(name, "")
        form = next(each for each in page.forms if ("deed", "connect") in each.buttons)
        self._browser.submit(page, form, deed="connect")

    def _page_of(self, name: str, path: str) -> Page:
        listed = self._browser.open(f"{self.hub.url}/admin/push-servers/").html
        numbers = re.findall(rf"/admin/push-servers/(\d+)/[^>]*>\s*{re.escape(name)}\b", listed)
        return self._browser.open(f"{self.hub.url}/admin/push-servers/{numbers[0]}/{path}{'/' if path else ''}")

    def open(self, path: str) -> Page:
        """A page of the hub."""
        return self._browser.open(f"{self.hub.url}{path}")
