"""A connected agent is given what its owner had injected, with its next run."""

import pytest

from tests import make, pushing
from tests.clock import Clock
from tests.connected.calling import begin, call, next_of, own
from triggers.telling.actions import inject
from triggers.telling.block import HEADER

pytestmark = pytest.mark.django_db


def test_the_next_run_brings_it_after_its_own_context_and_the_one_after_that_does_not(alice: make.Person, clock: Clock) -> None:
    agent = make.agent(alice)
    session = own(agent)
    pushing.pushed(alice, "look here")
    assert taken(agent, session, clock) == ""
    inject(alice.actor, session.key)
    told = taken(agent, session, clock)
    assert told.startswith(HEADER) and told.endswith("look here")
    assert taken(agent, session, clock) == ""


def test_what_was_injected_while_a_run_went_on_comes_with_the_one_after(alice: make.Person, clock: Clock) -> None:
    agent = make.agent(alice)
    session = own(agent)
    pushing.pushed(alice, "look here")
    begin(session)
    run = next_of(agent)["run"]
    clock.forward(seconds=1)
    inject(alice.actor, session.key)
    call("session_reply", agent, runId=run["runId"], reply="done")
    clock.forward(seconds=1)
    assert "look here" in taken(agent, session, clock)


def test_a_run_that_is_handed_out_again_brings_it_again(alice: make.Person, clock: Clock) -> None:
    agent = make.agent(alice)
    session = own(agent)
    pushing.pushed(alice, "look here")
    inject(alice.actor, session.key)
    begin(session)
    assert "look here" in next_of(agent)["run"]["context"] and "look here" in next_of(agent)["run"]["context"]


def taken(agent: object, session: object, clock: Clock) -> str:
    """The context of one more run, which is answered at once."""
    begin(session)  # type: ignore[arg-type]
    run = next_of(agent)["run"]  # type: ignore[arg-type]
    clock.forward(seconds=1)
    call("session_reply", agent, runId=run["runId"], reply="done")  # type: ignore[arg-type]
    return str(run["context"])
