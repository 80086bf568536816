"""Who asks, and through which door: the one argument every action and every read takes."""

from dataclasses import dataclass, field
from enum import StrEnum

ALL_SCOPES = "mcp"
"""The OAuth scope that stands for every other one."""


class Door(StrEnum):
    """A way in."""

    ADMIN = "admin"
    PAGE = "page"
    API = "api"
    WEBSOCKET = "websocket"
    MCP = "mcp"
    COMMAND = "command"
    TASK = "task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Ids and scopes of a caller, no models.

    `account_id` is the account acted upon; `user_id` the person, where one is known; `connection_id` the OAuth connection an
    agent came through; `session_id` the session whose run the hub itself executes, `session_name` what it is called in the chat,
    `tool_names` the tools that run may use (None: what the scopes reach). `is_staff` sees every account. `is_system` is the hub.
    """

    door: Door
    account_id: int | None = None
    user_id: int | None = None
    connection_id: str = ""
    launch_id: int | None = None
    session_id: int | None = None
    session_name: str = ""
    tool_names: tuple[str, ...] | None = None
    scopes: frozenset[str] = field(default_factory=frozenset)
    is_staff: bool = False
    is_system: bool = False
    label: str = ""

    def has_scope(self, scope: str) -> bool:
        """Whether the caller's token carries `scope`, by name or through `mcp`."""
        return ALL_SCOPES in self.scopes or scope in self.scopes

    @property
    def is_agent(self) -> bool:
        """Whether a program came with an OAuth token, not a person with a session or a shell."""
        return bool(self.connection_id)

    @property
    def author(self) -> str:
        """The key that limits and idempotency are counted by: never a name the caller gives itself."""
        if self.launch_id is not None:
            return f"launch:{self.launch_id}"
        if self.session_id is not None:
            return f"session:{self.session_id}"
        if self.connection_id:
            return self.connection_id
        return f"user:{self.user_id}" if self.user_id is not None else f"door:{self.door}"


def system(door: Door = Door.TASK, account_id: int | None = None) -> Actor:
    """The hub acting by itself: schedules, sweeps, start-up."""
    return Actor(door=door, account_id=account_id, is_system=True, label="the hub")


def operator(account_id: int | None = None) -> Actor:
    """Whoever has a shell on the hub's machine and runs a management command."""
    return Actor(door=Door.COMMAND, account_id=account_id, is_staff=True, label="command line")
