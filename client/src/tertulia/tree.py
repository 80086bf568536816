"""Whether this process belongs to an agent, launched or run by a hub: there the owner's verbs are not for whoever types.

A courtesy to the owner, not a wall: a process that leaves the agent's tree and its environment is not told from him.
"""

import os
from typing import TYPE_CHECKING

from tertulia.launch.runtime import ID
from tertulia.problems import Refused

if TYPE_CHECKING:
    from tertulia.launch.runtime import Running


RUN = "TERTULIA_RUN_TOKEN"
"""What the environment of a program holds that a hub runs."""


def is_agents() -> bool:
    """Whether a launch or a hub started it."""
    return bool(os.environ.get(RUN)) or is_launched()


def is_launched() -> bool:
    """By the environment that the launcher gives its child, else by descent from a launched process of this user."""
    return bool(os.environ.get(ID)) or _descends()


def _descends() -> bool:
    from tertulia.launch.runtime import launches

    return any(map(is_above, launches()))


def is_above(launch: "Running") -> bool:
    """Whether this process descends from that launch's agent."""
    from tertulia.launch.identity import Agent

    return Agent(launch.pid, launch.start_token).is_above(os.getpid())


def refuse_agents() -> None:
    """Raise Refused within an agent's process tree."""
    if is_agents():
        raise Refused("This is for the owner, not for an agent; run it in a terminal of your own.")
