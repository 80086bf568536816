"""What `up` prints once the hub answers: where it is, and the lines that add it to an agent."""

import json
from pathlib import Path

NAME = "tertulia"


def greeting(url: str, resource: str, folder: Path) -> str:
    """Ready to be copied line by line."""
    document = json.dumps({"mcpServers": {NAME: {"type": "http", "url": resource}}})
    return f"""
Tertulia is ready: {url}   (sign in there; data in {folder}; Ctrl-C stops it)

Add it to Claude Code, then sign in (or type /mcp inside it):
  claude mcp add --transport http {NAME} {resource}
  claude mcp login {NAME}
Add it to Codex (the sign-in follows by itself; again with: codex mcp login {NAME}):
  codex mcp add {NAME} --url {resource}
Any other MCP client: the address {resource} (streamable HTTP, OAuth), or
  {document}
"""
