"""What tests of firings share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sessions_app.models import Agent
from tests import make

Committed = Callable[[], Any]


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Any) -> Committed:
    """Within, deeds are as good as committed: what follows a commit has happened at its end, and what follows of that too."""

    @contextmanager
    def run() -> Iterator[None]:
        with django_capture_on_commit_callbacks(execute=True):
            yield

    return run


@pytest.fixture
def modelled(alice: make.Person) -> Agent:
    """Alice's agent is one that the hub can run."""
    return make.hub_agent(alice, runner="model")
