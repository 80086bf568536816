"""An agent takes runs of its session and answers them."""

from dataclasses import replace

import pytest
from pydantic import ValidationError

from core.actor import system
from core.errors import Forbidden, Gone, Invalid, NotFound
from core.tools import tools
from project.mcp.server import describe
from sessions_app.connected.values import LEASE_SECONDS
from sessions_app.models import Entry, Run
from sessions_app.runs import actions as runs
from sessions_app.runs import sweeping as leases
from sessions_app.values import MESSAGE_BYTES
from tests import make
from tests.clock import Clock
from tests.connected.calling import begin, call, next_of, own, state_of

pytestmark = pytest.mark.django_db


def test_an_agent_takes_the_run_of_its_own_session_and_its_reply_ends_it(alice: make.Person) -> None:
    agent = make.agent(alice)
    run = begin(own(agent), requester=make.session(alice, "main"))
    assert next_of(agent)["run"] == {
        "runId": run.run_id,
        "sessionKey": f"node-{agent.connection_id}",
        "purpose": "send",
        "from": "agent:main:main",
        "message": "is the build green?",
        "context": "",
        "leaseSeconds": LEASE_SECONDS,
    }
    assert call("session_reply", agent, runId=run.run_id, reply="yes") == {"runId": run.run_id, "status": "ok", "waiting": 0}
    assert state_of(run) == (Run.OK, "yes", "")
    assert [each.message["content"] for each in Entry.objects.order_by("seq")] == ["is the build green?", "yes"]


def test_without_a_run_the_answer_is_none_and_how_many_wait(alice: make.Person) -> None:
    agent = make.agent(alice)
    assert next_of(agent) == {"run": None, "waiting": 0}
    for _ in range(3):
        begin(own(agent))
    assert next_of(agent)["waiting"] == 2


def test_each_session_name_of_a_connection_has_runs_of_its_own(alice: make.Person) -> None:
    agent = make.agent(alice)
    begin(own(agent, "builder"))
    assert next_of(agent)["run"] is None and next_of(agent, session_name="tester")["run"] is None
    assert next_of(agent, session_name="builder")["run"]["sessionKey"].endswith("-builder")


def test_a_run_that_it_holds_already_is_handed_to_it_again(alice: make.Person) -> None:
    agent = make.agent(alice)
    first, second = begin(own(agent)), begin(own(agent))
    assert next_of(agent)["run"]["runId"] == next_of(agent)["run"]["runId"] == first.run_id
    assert call("session_reply", agent, runId=first.run_id, reply="a")["waiting"] == 1
    assert next_of(agent)["run"]["runId"] == second.run_id


def test_a_failure_ends_the_run_with_its_cause(alice: make.Person) -> None:
    agent = make.agent(alice)
    run = begin(own(agent))
    next_of(agent)
    call("session_reply", agent, runId=run.run_id, reply="the disk is full", status="error")
    assert state_of(run) == (Run.ERROR, "", "the disk is full")


@pytest.mark.parametrize("word", ["REPLY_SKIP", "ANNOUNCE_SKIP", "NO_REPLY", "", " REPLY_SKIP "])
def test_words_that_end_a_chain_are_passed_on_as_they_are(alice: make.Person, word: str) -> None:
    agent = make.agent(alice)
    run = begin(own(agent))
    next_of(agent)
    call("session_reply", agent, runId=run.run_id, reply=word)
    assert state_of(run) == (Run.OK, word, "")


@pytest.mark.parametrize(
    "given",
    [{"reply": "a\x1b[31m"}, {"reply": "x" * (MESSAGE_BYTES + 1)}, {"reply": "  ", "status": "error"}, {"reply": "a\ud800"}],
)
def test_a_reply_that_cannot_be_kept_is_refused_and_the_run_goes_on(alice: make.Person, given: dict[str, str]) -> None:
    agent = make.agent(alice)
    run = begin(own(agent))
    next_of(agent)
    with pytest.raises(Invalid):
        call("session_reply", agent, runId=run.run_id, **given)
    assert state_of(run)[0] == Run.RUNNING


@pytest.mark.parametrize("given", [{"wait_seconds": 241}, {"wait_seconds": -1}, {"wait_seconds": "x"}, {"sessionkey": "main"}])
def test_arguments_out_of_range_are_refused(alice: make.Person, given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        call("session_next", make.agent(alice), **given)


@pytest.mark.parametrize("run_id", ["", "nobody", "x" * 500, "a\0b", "0" * 36])
def test_an_unknown_run_is_nobodys(alice: make.Person, run_id: str) -> None:
    with pytest.raises(NotFound, match="No run of this id is yours"):
        call("session_reply", make.agent(alice), runId=run_id, reply="x")


def test_only_the_agent_that_took_a_run_may_answer_it(alice: make.Person, charlie: make.Person) -> None:
    agent, session = make.agent(alice), make.session(alice, "main")
    run = begin(session)
    assert next_of(agent, sessionKey="main")["run"]["runId"] == run.run_id
    for other in (make.agent(charlie), make.agent(alice), make.granted(alice)):
        for status in ("ok", "error", "working"):
            with pytest.raises(NotFound, match="No run of this id is yours"):
                call("session_reply", other, runId=run.run_id, reply="mine", status=status)
    with pytest.raises(NotFound):
        call("session_reply", replace(agent, launch_id=make.launch(alice).pk), runId=run.run_id, reply="mine")
    assert state_of(run)[0] == Run.RUNNING


def test_a_run_that_was_not_taken_is_nobodys_to_answer(alice: make.Person) -> None:
    agent = make.agent(alice)
    run = begin(own(agent))
    with pytest.raises(NotFound):
        call("session_reply", agent, runId=run.run_id, reply="early")


def test_a_second_answer_and_one_after_a_stop_are_refused(alice: make.Person) -> None:
    agent = make.agent(alice)
    run = begin(own(agent))
    next_of(agent)
    runs.stop(alice.actor, run)
    for status in ("ok", "working"):
        with pytest.raises(Gone):
            call("session_reply", agent, runId=run.run_id, reply="late", status=status)
    assert state_of(run) == (Run.STOPPED, "", "It was stopped.")


def test_a_lease_lasts_five_minutes_and_is_renewed_by_a_sign_of_its_agent(alice: make.Person, clock: Clock) -> None:
    agent = make.agent(alice)
    run = begin(own(agent))
    next_of(agent)
    for sign in ("working", "next"):
        clock.forward(seconds=LEASE_SECONDS - 1)
        if sign == "working":
            assert call("session_reply", agent, runId=run.run_id, status="working")["status"] == "working"
        else:
            next_of(agent)
        assert leases.recover(system()) == 0
    clock.forward(seconds=LEASE_SECONDS + 1)
    assert leases.recover(system()) == 1
    assert state_of(run)[0] == Run.QUEUED
    with pytest.raises(NotFound):
        call("session_reply", agent, runId=run.run_id, reply="too late")


def test_a_run_that_its_agent_lost_twice_ends_with_its_reason(alice: make.Person, clock: Clock) -> None:
    agent = make.agent(alice)
    run = begin(own(agent))
    for _ in range(2):
        next_of(agent)
        clock.forward(seconds=LEASE_SECONDS + 1)
        leases.recover(system())
    assert state_of(run)[0] == Run.ERROR and "gone twice" in run.error


def test_a_run_that_was_given_a_time_is_timed_out_though_its_agent_works_on(alice: make.Person, clock: Clock) -> None:
    from sessions_app.connected import sweeping

    agent = make.agent(alice)
    run = begin(own(agent), timeout_seconds=60)
    next_of(agent)
    clock.forward(seconds=59)
    assert sweeping.sweep(system()) == 0
    clock.forward(seconds=1)
    assert sweeping.sweep(system()) == 1
    assert state_of(run) == (Run.TIMED_OUT, "", "It ran longer than 60 seconds.")


def test_a_token_without_the_scope_sees_no_tool_and_a_person_has_no_session(alice: make.Person) -> None:
    reader = make.agent(alice, scopes="sessions.read chat.read")
    assert [tool.name for tool in tools if tool.allowed(reader) and tool.name in {"session_next", "session_reply"}] == []
    with pytest.raises(Forbidden):
        call("session_next", alice.actor, wait_seconds=0)


def test_the_tools_take_little_of_a_models_room() -> None:
    for name in ("session_next", "session_reply"):
        tool = tools.get(name)
        assert tool is not None
        shown = describe(tool).model_dump_json(by_alias=True, exclude_none=True)
        spent = len(shown)
        assert spent <= 1000, (name, spent)
