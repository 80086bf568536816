"""A hub started by `manage.py up`, watched on the wire, with its owner, and peers who post while a client waits."""

import base64
import hashlib
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2

from e2e.browser import Owner
from e2e.wire import Wire
from tests.mcp import wire as rpc
from tests.running.hub import ROOT, Command, environment, free_port, gone

EMAIL, PASSWORD = "alice@example.org", "correct-horse-battery"


class Hub:
    """The address clients know is the wire's; the server listens beside it. Data and address outlive a restart."""

    def __init__(self, home: Path, server: str, **settings: str) -> None:
        self.home, self.server = home, server
        self.inner = free_port()
        self.wire = Wire(free_port(), self.inner)
        self.url = f"http://127.0.0.1:{self.wire.port}"
        self.resource = f"{self.url}/mcp"
        self.owner = Owner(EMAIL, PASSWORD, self.url)
        self.environment = environment(
            home, TERTULIA_SERVER=server, TERTULIA_URL=self.url, TERTULIA_OWNER_PASSWORD=PASSWORD, **settings
        )
        self.command: Command | None = None

    def start(self) -> None:
        """`manage.py up`, until it says that it is ready."""
        self.command = Command(["up", "--port", str(self.inner), "--owner", EMAIL], self.environment)
        self.command.until("mcpServers")

    def kill(self) -> None:
        """End it the hard way: no process of it gets to say goodbye."""
        assert self.command is not None
        pids = self.command.children()
        self.command.kill()
        for pid in pids.values():
            assert gone(pid, 10), f"process {pid} outlives the hub"

    def stop(self) -> tuple[int, str]:
        """End it as an operator does; its status and all it printed."""
        assert self.command is not None
        self.command.process.send_signal(signal.SIGTERM)
        return self.command.end()

    def manage(self, *arguments: str) -> str:
        """A management command in a process of its own; what it printed."""
        ended = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=180
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def peer(self, name: str = "bob") -> "Peer":
        """Another agent of the owner, signed in through the real pages."""
        return Peer(self, name)


@contextmanager
def running(home: Path, server: str, **settings: str) -> Iterator[Hub]:
    """A hub that is up, and nothing of it afterwards."""
    hub = Hub(home, server, **settings)
    hub.wire.start()
    try:
        hub.start()
        yield hub
    finally:
        if hub.command is not None:
            hub.command.kill()
        hub.wire.stop()


@dataclass(frozen=True)
class Said:
    """What a tool answered."""

    is_error: bool
    text: str
    data: dict[str, Any]


class Peer:
    """An agent without an SDK, who talks to the server beside the wire: signs in once, calls tools with one request each."""

    def __init__(self, hub: Hub, name: str) -> None:
        self.name = name
        self._hub = hub
        self._http = httpx2.Client(
            base_url=f"http://127.0.0.1:{hub.inner}",
            headers={"host": urlsplit(hub.url).netloc},
            timeout=70,
            trust_env=False,
        )
        self.token = self._sign_in()
        self._http.headers["authorization"] = f"Bearer {self.token}"

    def call(self, tool: str, **arguments: Any) -> Said:
        """One tool call, in the newer protocol era."""
        body, headers = rpc.modern("tools/call", {"name": tool, "arguments": arguments})
        answer = self._http.post("/mcp", json=body, headers=headers)
        answer.raise_for_status()
        result = rpc.message(answer)["result"]
        return Said(result.get("isError", False), result["content"][-1]["text"], result.get("structuredContent") or {})

    def post(self, body: str, **more: Any) -> int:
        """Post to the chat; the number of the message."""
        said = self.call("chat_post", body=body, session_name=self.name, **more)
        assert not said.is_error, said.text
        return int(said.data["seq"])

    def read(self, after: int = 0) -> list[dict[str, Any]]:
        """All messages after a number."""
        messages: list[dict[str, Any]] = []
        while True:
            page = self.call("chat_read", after=after).data
            messages += page["messages"]
            if not page["has_more"]:
                return messages
            after = page["last_seq"]

    def latest(self) -> int:
        """The number of the newest message."""
        return int(self.call("chat_read").data["latest_seq"])

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _sign_in(self) -> str:
        callback = f"http://127.0.0.1:{free_port()}/callback"
        said = {"client_name": self.name, "redirect_uris": [callback], "token_endpoint_auth_method": "none"}
        client_id = self._http.post("/oauth/register", json=said).json()["client_id"]
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": callback,
            "scope": "mcp",
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "resource": self._hub.resource,
        }
        _, end = self._hub.owner.authorize(f"{self._hub.url}/oauth/authorize?{urlencode(asked)}", land=False)
        form = {
            "grant_type": "authorization_code",
            "code": parse_qs(urlsplit(end.url).query)["code"][0],
            "client_id": client_id,
            "redirect_uri": callback,
            "code_verifier": verifier,
        }
        answer = self._http.post("/oauth/token", data=form)
        answer.raise_for_status()
        return str(answer.json()["access_token"])
