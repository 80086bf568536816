"""The runners that the hub executes itself, by the name an agent's row gives."""

from typing import Protocol

from django.utils.module_loading import import_string

from core.registry import Registry
from sessions_app.models import Agent
from sessions_app.runners.work import Pending, Work
from sessions_app.values import Outcome


class Runner(Protocol):
    """Executes runs of one kind."""

    def execute(self, work: Work) -> Outcome | Pending:
        """Do what the run asks for, until it is done or `work.still()` is False.

        Raises DomainError with a sentence for the owner; whatever else is raised is logged and told by its number.
        """
        ...


class Named:
    """A runner by where it lies, loaded when its first run comes: what it needs is large, and most processes never do."""

    def __init__(self, path: str) -> None:
        self._path = path

    def execute(self, work: Work) -> Outcome | Pending:
        """As the runner itself."""
        runner: Runner = import_string(self._path)()
        return runner.execute(work)


runners: Registry[Runner] = Registry("runner")


def known_models(account_id: int, agent: Agent) -> list[str] | None:
    """The models an agent may be asked for; None: any."""
    if agent.runner == Agent.CONNECTED:
        return None
    if agent.runner == Agent.MODEL:
        names = list(agent.provider.model_names) if agent.provider is not None else []
    else:
        names = list(agent.model_names)
    if not names:
        return None
    return list(dict.fromkeys([*names, *(each for each in (agent.model, agent.subagent_model) if each)]))


def is_known_model(account_id: int, agent: Agent, model: str) -> bool:
    """Whether an agent may be asked for a model; a runner without a list leaves it to whoever answers for the model."""
    known = known_models(account_id, agent)
    return known is None or model in known
