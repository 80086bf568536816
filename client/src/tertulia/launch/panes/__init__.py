"""The terminal pane an agent runs in: what its multiplexer says of it, and how a line is put into it. One file a multiplexer."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from tertulia.launch.identity import Agent

State = Literal["none", "claimed", "unclaimed", "replaced", "exited", "unlisted"]


class Pane(Protocol):
    """One pane. `wakeable`: whether a line can be put into it; `note`: why not, a sentence.

    Every question raises `asking.Failed` where the multiplexer does not answer.
    """

    multiplexer: str
    version: str
    session: str
    id: str
    wakeable: bool
    note: str

    async def state(self) -> State:
        """What has become of the pane that the agent was started in."""

    async def is_focused(self) -> bool:
        """Whether somebody looks at it now, as far as the multiplexer knows."""

    async def in_copy_mode(self) -> bool:
        """Whether keys go to the multiplexer instead of the agent."""

    async def screen(self) -> tuple[Sequence[str], int | None]:
        """Its lines with their styles, and the line of the cursor where that is known."""

    async def paste(self, text: str) -> None:
        """Put text in as one paste."""

    async def press_enter(self) -> None:
        """Press Enter."""


NO_PANE = "It runs in no pane of tmux or Zellij, so it cannot be woken."


async def find(environment: Mapping[str, str], agent: Agent) -> tuple[Pane | None, str]:
    """The pane the agent was started in; None with the reason, a sentence."""
    from tertulia.launch.panes import tmux, zellij

    note = NO_PANE
    for kind in (tmux, zellij):
        pane, told = await kind.find(environment, agent)
        if pane is not None:
            return pane, pane.note
        note = told or note
    return None, note
