"""Runs of the account's connected agents, which any connected agent may take where visibility lets it."""

import pytest

from core.errors import Forbidden, NotFound
from sessions_app.models import Session, SessionSettings
from tests import make
from tests.connected.calling import begin, next_of, own

pytestmark = pytest.mark.django_db


def test_an_agent_takes_runs_of_the_main_session_by_alias_key_and_id(alice: make.Person) -> None:
    agent, session = make.agent(alice), make.session(alice, "main")
    for given in ("main", "agent:main:MAIN", str(session.session_id)):
        run = begin(session)
        assert next_of(agent, sessionKey=given)["run"]["runId"] == run.run_id
        from tests.connected.calling import call

        call("session_reply", agent, runId=run.run_id, reply="ok")


def test_the_main_session_of_a_connected_agent_may_be_waited_for_before_anything_was_sent(alice: make.Person) -> None:
    assert next_of(make.agent(alice), sessionKey="main") == {"run": None, "waiting": 0}
    assert Session.objects.filter(account=alice.account, key="agent:main:main").count() == 1


def test_one_agent_alone_takes_a_run(alice: make.Person) -> None:
    first, second, session = make.agent(alice), make.agent(alice), make.session(alice, "main")
    begin(session)
    assert next_of(first, sessionKey="main")["run"] is not None
    assert next_of(second, sessionKey="main")["run"] is None


@pytest.mark.parametrize("runner", ["model", "command"])
def test_runs_that_the_hub_executes_are_not_to_be_taken(alice: make.Person, runner: str) -> None:
    make.hub_agent(alice, "main", runner)
    make.session(alice, "main")
    with pytest.raises(NotFound):
        next_of(make.agent(alice), sessionKey="main")


def test_another_agents_own_session_is_its_own(alice: make.Person) -> None:
    other = own(make.agent(alice))
    begin(other)
    with pytest.raises(NotFound):
        next_of(make.agent(alice), sessionKey=other.key)


def test_charlie_learns_nothing_of_a_session_that_is_not_his(alice: make.Person, charlie: make.Person) -> None:
    session = make.session(alice, "agent:main:subagent:1")
    begin(session)
    agent, said = make.agent(charlie), []
    for given in (session.key, str(session.session_id), "agent:main:subagent:2"):
        with pytest.raises(NotFound) as refusal:
            next_of(agent, sessionKey=given)
        said.append(refusal.value.code)
    assert len(set(said)) == 1


def test_visibility_itself_keeps_an_agent_to_its_own_runs(alice: make.Person) -> None:
    make.session(alice, "main")
    SessionSettings.objects.filter(account=alice.account).update(visibility="self")
    agent = make.agent(alice)
    assert next_of(agent)["run"] is None
    with pytest.raises(Forbidden):
        next_of(agent, sessionKey="main")


def test_a_token_that_may_not_read_takes_its_own_runs_alone(alice: make.Person) -> None:
    make.session(alice, "main")
    agent = make.agent(alice, scopes="sessions.send")
    begin(own(agent))
    assert next_of(agent)["run"] is not None
    with pytest.raises(Forbidden):
        next_of(agent, sessionKey="main")
