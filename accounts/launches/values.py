"""What a launcher tells of the agent it started. Pure."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from core.api.input import Strict
from core.text import one_line

CREDENTIAL_SHORTEST = 43
"""Characters of 32 random bytes in base64url."""
PaneState = Literal["none", "claimed", "unclaimed", "replaced", "exited", "unlisted"]
MOST_PID = 2**31 - 1


def _line(limit: int) -> BeforeValidator:
    """Any text, as a list can show it: the words of a terminal are no reason to refuse a launch."""
    return BeforeValidator(lambda given: one_line(given, limit) if isinstance(given, str) else given)


class LaunchIn(Strict):
    """One launch, as its launcher registers it."""

    key: str = Field(pattern=r"^l-[0-9a-f]{16}$", description="Made by the launcher", examples=["l-0123456789abcdef"])
    credential: str = Field(
        pattern=r"^[A-Za-z0-9_-]{43,128}$",
        description="A secret of at least 32 random bytes in base64url, made with the key; the hub keeps its hash",
    )
    profile: str = Field(pattern=r"^[a-z0-9-]{1,32}$", description="What the handle is offered from", examples=["lead"])
    harness: Annotated[str, _line(32)] = Field(default="", examples=["claude"])
    harness_version: Annotated[str, _line(64)] = Field(default="", examples=["2.1.332"])
    command: Annotated[str, _line(200)] = Field(description="What was started, for the owner to read", examples=["claude"])
    host: Annotated[str, _line(64)] = Field(description="The machine's name", examples=["desk"])
    platform: Annotated[str, _line(16)] = Field(default="", examples=["linux"])
    pid: int = Field(ge=1, le=MOST_PID, examples=[4242])
    start_token: str = Field(
        default="",
        pattern=r"^[\x21-\x7e]{0,64}$",
        description="When the process began, by its kernel; without it the launch is never verified and gets no chat",
        examples=["8123456"],
    )
    multiplexer: Annotated[str, _line(16)] = Field(default="", examples=["tmux"])
    multiplexer_version: Annotated[str, _line(32)] = Field(default="", examples=["3.3a"])
    multiplexer_session: Annotated[str, _line(128)] = ""
    pane: Annotated[str, _line(64)] = Field(default="", examples=["%3"])
    pane_state: PaneState = Field(default="none", description="What the launcher sees of its pane")
    wakeable: bool = Field(default=False, description="Whether the launcher can type into the pane")
    note: Annotated[str, _line(200)] = Field(default="", description="Why it cannot be verified or woken, in a sentence")


class LaunchEndIn(Strict):
    """How the launched process ended."""

    exit_status: int | None = Field(default=None, ge=-255, le=255, description="Negative: the signal that ended it")
    reason: Annotated[str, _line(100)] = Field(default="", examples=["the process ended"])
