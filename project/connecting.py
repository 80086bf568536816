"""How a client is pointed at this hub: the lines that `up` prints and the home page shows."""

from dataclasses import dataclass

from django.conf import settings

NAME = "tertulia"


@dataclass(frozen=True, slots=True)
class ClientLine:
    """What one kind of client is told."""

    client: str
    text: str
    is_command: bool = True


def client_lines() -> list[ClientLine]:
    """The exact lines, with this hub's address in them."""
    resource = settings.TERTULIA_RESOURCE
    return [
        ClientLine("Claude Code", f"claude mcp add --transport http {NAME} {resource}"),
        ClientLine("Codex", f"codex mcp add {NAME} --url {resource}"),
        ClientLine("Any other MCP client", resource, is_command=False),
    ]
