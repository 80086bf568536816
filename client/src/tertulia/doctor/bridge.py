"""The chat's tools as the agent has them: through the launcher's socket, one call after the other."""

import json
from pathlib import Path
from typing import Any

from tertulia import __version__
from tertulia.launch.runtime import connected
from tertulia.problems import Problem

SECONDS = 10.0
LARGEST = 1 << 20
PROTOCOL = "2025-11-25"


class Bridge:
    """Use as a context manager; raises OSError where no launcher listens."""

    def __init__(self, folder: Path) -> None:
        self._link = connected(folder, SECONDS)
        self._link.sendall(b"mcp\n")
        self._lines = self._link.makefile("rb")
        self._last = 0

    def __enter__(self) -> "Bridge":
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()
        self._link.close()

    def greet(self) -> None:
        """Begin; raises Problem for a launcher that does not admit us, or a hub that does not answer it."""
        client = {"name": "tertulia doctor", "version": __version__}
        self._ask("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What a tool answers; raises Problem with its sentence."""
        said = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if said.get("isError"):
            raise Problem(_text(said))
        found = said.get("structuredContent")
        return found if isinstance(found, dict) else {}

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        while line := self._lines.readline(LARGEST):
            said = _parsed(line)
            if said.get("id") == self._last:
                return _result(said)
        raise Problem("it closed the connection without an answer.")

    def _send(self, message: dict[str, Any]) -> None:
        self._link.sendall(json.dumps(message).encode() + b"\n")


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    return said if isinstance(said, dict) else {}


def _result(said: dict[str, Any]) -> dict[str, Any]:
    if isinstance(error := said.get("error"), dict):
        raise Problem(str(error.get("message", "it refused.")))
    result = said.get("result")
    return result if isinstance(result, dict) else {}


def _text(said: dict[str, Any]) -> str:
    pieces = said.get("content")
    texts = [each.get("text") for each in pieces if isinstance(each, dict)] if isinstance(pieces, list) else []
    return " ".join(each for each in texts if isinstance(each, str)) or "it refused."
