"""How each harness is started: with the bridge as its MCP server `tertulia`, and apart from its other panes.

A harness that is not listed is started as it is; whoever wants the bridge there names `tertulia mcp` in its configuration.
"""

import contextlib
import json
import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

SERVER, OTHER_SERVER = "tertulia", "tertulia_launch"
BRIDGE = (sys.executable, "-P", "-m", "tertulia.launch.relay")

Starter = Callable[[list[str], Mapping[str, str]], list[str]]
"""What is executed, made of the command that was typed and what the bridge must find in its environment."""


def name_of(command: Sequence[str]) -> str:
    """What the harness is called: the name of its program."""
    return Path(command[0]).name[:32]


def started_with(command: list[str], environment: Mapping[str, str]) -> list[str]:
    """The command with what this harness needs to find the bridge."""
    starter = STARTERS.get(name_of(command))
    return starter(command, environment) if starter else command


def _claude(command: list[str], environment: Mapping[str, str]) -> list[str]:
    server = {"type": "stdio", "command": BRIDGE[0], "args": list(BRIDGE[1:]), "env": dict(environment)}
    return [command[0], f"--mcp-config={json.dumps({'mcpServers': {SERVER: server}})}", *command[1:]]


def _codex(command: list[str], environment: Mapping[str, str]) -> list[str]:
    """Its panes share a background server otherwise, and the environment of the first; its tables merge, so that a server of
    our name that the person has already is put aside."""
    taken = _codex_names(SERVER)
    table = ", ".join(
        [
            f"command={_toml(BRIDGE[0])}",
            f"args=[{', '.join(map(_toml, BRIDGE[1:]))}]",
            f"env={{{', '.join(f'{name}={_toml(value)}' for name, value in environment.items())}}}",
        ]
    )
    settings = [
        *([f"mcp_servers.{SERVER}.enabled=false"] if taken else []),
        f"mcp_servers.{OTHER_SERVER if taken else SERVER}={{{table}}}",
        "features.daemon_auto_start=false",
        "features.mcp_tool_list_changed=true",
        "suppress_unstable_features_warning=true",
    ]
    return [command[0], *(word for setting in settings for word in ("-c", setting)), *command[1:]]


STARTERS: dict[str, Starter] = {"claude": _claude, "codex": _codex}


def _toml(text: str) -> str:
    """A basic string of TOML, which JSON's is as long as no character is written as two."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _codex_names(server: str) -> bool:
    """Whether one of the person's or the project's files names an MCP server so."""
    return any(server in _table(_read(path), "mcp_servers") for path in _codex_files())


def _codex_files() -> Iterator[Path]:
    yield Path(os.environ.get("CODEX_HOME") or Path("~/.codex").expanduser()) / "config.toml"
    here = Path.cwd()
    for folder in (here, *here.parents):
        yield folder / ".codex" / "config.toml"


def _read(path: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError):
        return tomllib.loads(path.read_text())
    return {}


def _table(held: dict[str, Any], name: str) -> dict[str, Any]:
    found = held.get(name)
    return found if isinstance(found, dict) else {}
