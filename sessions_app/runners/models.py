"""Which model a run uses. Pure."""

from typing import Protocol


class _Kept(Protocol):
    subagent_model: str
    default_model: str


class _Agent(Protocol):
    model: str
    subagent_model: str


class _Session(Protocol):
    model_override: str
    spawn_depth: int


class _Run(Protocol):
    model: str


def model_for(kept: _Kept, agent: _Agent, session: _Session | None, run: _Run | None = None, asked: str = "") -> str:
    """The first that is set: what was asked for, the run's, the session's; in a sub-agent the agent's sub-agent model and the
    account's; the agent's own; the account's. Empty: whatever the runner uses by itself.

    `session` None: of a sub-agent that is yet to be made.
    """
    chosen = [asked, run.model if run else "", session.model_override if session else ""]
    if session is None or session.spawn_depth > 0:
        chosen += [agent.subagent_model, kept.subagent_model]
    return next((each for each in [*chosen, agent.model, kept.default_model] if each), "")
