"""How a client is pointed at this hub: what `up` prints and the home page shows."""

import json
from dataclasses import dataclass

from django.utils.translation import gettext as _

NAME = "tertulia"


@dataclass(frozen=True, slots=True)
class Way:
    """One kind of client: what to do with the lines, and the lines to copy, with this hub's address in them."""

    client: str
    note: str
    lines: tuple[str, ...]


def ways(resource: str) -> tuple[Way, ...]:
    """Every way we know, the same words wherever they stand."""
    document = json.dumps({"mcpServers": {NAME: {"type": "http", "url": resource}}})
    return (
        Way(
            "Claude Code",
            _("the second line signs in; or type /mcp inside it"),
            (f"claude mcp add --transport http {NAME} {resource}", f"claude mcp login {NAME}"),
        ),
        Way(
            "Codex",
            _("the sign-in follows by itself; again with: %(line)s") % {"line": f"codex mcp login {NAME}"},
            (f"codex mcp add {NAME} --url {resource}",),
        ),
        Way(_("Any other MCP client"), _("streamable HTTP with OAuth; the address, or a document"), (resource, document)),
    )
