"""An account whose own agent is run by the hub."""

import pytest

from tests import make


@pytest.fixture
def hub_runs_main(alice: make.Person) -> None:
    make.hub_agent(alice)
