"""How the harnesses we know are run headless, with the tools of the whitelist alone. Pure.

Tried with Claude Code 2.1.332 and Codex 0.171; Pi by its documentation.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

SERVER = "tertulia"
TOKEN_VARIABLE = "TERTULIA_RUN_TOKEN"  # noqa: S105 -- a name
BUILT_IN = re.compile(r"^[A-Z][A-Za-z]+$")
CODEX_OFF = ("shell_tool", "unified_exec", "multi_agent", "goals", "view_image")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a command line depends on. `tools`: of the hub; `wanted`: the agent's whitelist; `config`: the file with the hub's
    address and the run's token; `extra`: the owner's own arguments."""

    program: str
    model: str
    address: str
    config: str
    tools: Sequence[str]
    wanted: Sequence[str] = ()
    extra: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What is executed; the prompt goes to its standard input. `config_at`: where in the private folder the configuration
    must lie, if the program works there and looks for it itself."""

    argv: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    stream: str = ""
    config_at: str = ""


def servers(address: str, token: str) -> str:
    """The MCP configuration that Claude Code, Pi and many others read."""
    said = {"type": "http", "url": address, "headers": {"Authorization": f"Bearer {token}"}}
    return json.dumps({"mcpServers": {SERVER: said}})


def claude(asked: Asked) -> Command:
    """Built-in tools only where the whitelist names them; whatever is not allowed is refused, and nobody is asked."""
    built_in = [name for name in asked.wanted if BUILT_IN.match(name)]
    allowed = [*built_in, *(f"mcp__{SERVER}__{name}" for name in asked.tools)]
    model = ["--model", asked.model] if asked.model else []
    argv = [
        asked.program, "-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence",
        "--tools", ",".join(built_in), "--mcp-config", asked.config, "--strict-mcp-config",
        "--allowedTools", ",".join(allowed), "--permission-mode", "dontAsk", *model, *asked.extra,
    ]  # fmt: skip
    quiet = {"DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return Command(argv=argv, environment=quiet, stream="claude")


def codex(asked: Asked) -> Command:
    """The hub's tools alone, in a read-only sandbox; the token stands in the environment, for arguments are seen by all."""
    server = {
        "url": asked.address,
        "bearer_token_env_var": TOKEN_VARIABLE,
        "enabled_tools": list(asked.tools),
        "default_tools_approval_mode": "approve",
        "required": bool(asked.tools),
        "tool_timeout_sec": 300,
    }
    settings = [word for name, value in server.items() for word in ("-c", f"mcp_servers.{SERVER}.{name}={json.dumps(value)}")]
    off = [word for name in CODEX_OFF for word in ("--disable", name)]
    model = ["-m", asked.model] if asked.model else []
    argv = [
        asked.program, "exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-user-config", "-s", "read-only", *off,
        "-c", 'web_search="disabled"', *settings, *model, *asked.extra, "-",
    ]  # fmt: skip
    return Command(argv=argv, stream="codex")


def pi(asked: Asked) -> Command:
    """Once an entry of `--tools` begins with `mcp__`, Pi filters its own tools as well. It reads its servers from the folder it
    works in, which is the run's private one."""
    names = ",".join([*asked.wanted, *(f"mcp__{SERVER}__{name}" for name in asked.tools)])
    model = ["--model", asked.model] if asked.model else []
    argv = [
        asked.program, "-p", "--mode", "json", "--no-session", "--approve", "--tools", names or "none", *model, *asked.extra,
    ]  # fmt: skip
    return Command(argv=argv, stream="pi", config_at=".pi/mcp.json")


PRESETS = {"claude": claude, "codex": codex, "pi": pi}
