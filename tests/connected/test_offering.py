"""Runs that wait for a launch are offered like a mention: in the inbox, by its hooks, by waking its idle pane."""

from datetime import timedelta

import pytest

from accounts.models import Launch
from audit.models import Entry as Audit
from chat.hooks import answer
from chat.models import Attendance, ChatSettings, Wake
from chat.wakes.actions import pending, settle
from core.actor import Actor, Door
from sessions_app.models import Run
from tests import make
from tests.clock import Clock
from tests.connected.calling import begin, call, launched, next_of, own

pytestmark = pytest.mark.django_db


def hook(agent: Actor, event: str = "PreToolUse") -> str:
    return answer(agent.launch_id or 0, event)


def idle(agent: Actor, clock: Clock, seconds: float = 60) -> None:
    told = {"account_id": agent.account_id, "status": "done", "status_at": clock.moment - timedelta(seconds=seconds)}
    Attendance.objects.update_or_create(launch_id=agent.launch_id, defaults=told)
    Launch.objects.filter(pk=agent.launch_id).update(seen_at=clock.moment)


def test_the_inbox_says_that_runs_wait_and_nothing_of_their_text(alice: make.Person) -> None:
    agent = launched(alice)
    assert call("chat_inbox", agent)["also"] == []
    runs = [begin(own(agent), "the secret task") for _ in range(2)]
    (line,) = call("chat_inbox", agent)["also"]
    assert line.startswith("2 runs wait for session node-l-") and "session_next" in line and "secret" not in line
    assert all(Run.objects.filter(pk=run.pk).exclude(offered_at=None).exists() for run in runs)


def test_the_inbox_of_a_named_session_shows_its_own_runs_alone(alice: make.Person, charlie: make.Person) -> None:
    agent = make.agent(alice)
    begin(own(agent, "builder"))
    assert len(call("chat_inbox", agent, session_name="builder")["also"]) == 1
    assert call("chat_inbox", agent, session_name="tester")["also"] == []
    assert call("chat_inbox", agent, session_name="\u00e9\u00e8")["also"] == []
    for other in (make.agent(alice), make.agent(charlie)):
        assert call("chat_inbox", other, session_name="builder")["also"] == []


def test_a_token_that_may_not_answer_is_offered_nothing(alice: make.Person) -> None:
    held = make.connection(alice, scopes="chat.read sessions.read")
    agent = make.agent(alice, connection_=held)
    begin(own(agent))
    assert call("chat_inbox", agent, session_name="x")["also"] == []


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "before_agent_start", "PreToolUse", "tool_execution_end"])
def test_a_hook_says_in_one_short_line_that_runs_wait(alice: make.Person, event: str) -> None:
    agent = launched(alice)
    begin(own(agent), "the secret task")
    said = hook(agent, event)
    line = said.split("\n")[-1]
    assert "[tertulia] 1 run waits for you." in line and "session_next" in line and "secret" not in said
    assert len(line.encode()) <= 256


@pytest.mark.parametrize("event", ["Stop", "SessionEnd", "Notification", "agent_settled", "nonsense"])
def test_other_hooks_say_nothing(alice: make.Person, event: str) -> None:
    agent = launched(alice)
    begin(own(agent))
    assert hook(agent, event) == ""


def test_an_agent_at_work_is_told_of_new_runs_once_a_minute_at_most(alice: make.Person, clock: Clock) -> None:
    agent = launched(alice)
    begin(own(agent))
    assert "1 run waits" in hook(agent) and hook(agent) == ""
    begin(own(agent))
    clock.forward(seconds=59)
    assert hook(agent) == ""
    clock.forward(seconds=1)
    assert "2 runs wait" in hook(agent) and hook(agent) == ""
    assert "2 runs wait" in hook(agent, "UserPromptSubmit")


def test_a_hook_keeps_the_lease_of_an_agent_that_works(alice: make.Person, clock: Clock) -> None:
    agent = launched(alice)
    run = begin(own(agent))
    next_of(agent)
    clock.forward(seconds=200)
    hook(agent)
    run.refresh_from_db()
    assert run.lease_until == clock.moment + timedelta(seconds=300)


def test_an_idle_pane_that_may_be_woken_is_woken_for_a_run_by_the_same_line(alice: make.Person, clock: Clock) -> None:
    agent = launched(alice, wake=True)
    idle(agent, clock)
    begin(own(agent), "the secret task")
    (wake,) = pending(agent.launch_id or 0)
    assert settle(Actor(door=Door.WEBSOCKET, account_id=agent.account_id, launch_id=agent.launch_id,
                        connection_id=agent.connection_id), wake_id=wake, outcome="ok")  # fmt: skip
    entry = Audit.objects.get(deed="chat.wake")
    assert entry.details["outcome"] == "ok" and "seq" not in entry.details and "secret" not in str(entry.details)


def test_a_burst_of_runs_asks_for_one_wake(alice: make.Person, clock: Clock) -> None:
    agent = launched(alice, wake=True)
    idle(agent, clock)
    for _ in range(3):
        begin(own(agent))
    assert len(pending(agent.launch_id or 0)) == 1
    assert sorted(Wake.objects.values_list("outcome", flat=True)) == ["pending", "rate", "rate"]


def test_an_agent_at_work_is_not_woken_and_it_is_audited(alice: make.Person, clock: Clock) -> None:
    agent = launched(alice, wake=True)
    Launch.objects.update(seen_at=clock.moment)
    begin(own(agent))
    assert list(Wake.objects.values_list("outcome", flat=True)) == ["not-idle"]
    assert Audit.objects.filter(deed="chat.wake").count() == 1


def test_only_a_granted_launch_that_may_be_woken_is_woken(alice: make.Person, clock: Clock) -> None:
    granted, ungranted = launched(alice), make.launched(alice, make.launch(alice))
    for agent in (granted, ungranted, make.agent(alice)):
        if agent.launch_id is not None:
            idle(agent, clock)
        begin(own(agent))
    assert not Wake.objects.exists()


def test_an_agent_that_asks_for_its_runs_by_a_tool_may_decide_on_a_wake_itself(alice: make.Person, clock: Clock) -> None:
    """The next run of a session is begun within the agent's door when the one before ends."""
    agent = launched(alice, wake=True)
    first, _ = begin(own(agent)), begin(own(agent))
    Wake.objects.all().delete()
    next_of(agent)
    idle(agent, clock)
    call("session_reply", agent, runId=first.run_id, reply="done")
    assert Wake.objects.get().outcome == "pending"


def test_the_owners_switch_silences_digest_and_wake(alice: make.Person, clock: Clock) -> None:
    agent = launched(alice, wake=True)
    idle(agent, clock)
    ChatSettings.objects.filter(account=alice.account).update(allowed=False)
    run = begin(own(agent))
    assert hook(agent) == "" and not Wake.objects.exists()
    run.refresh_from_db()
    assert run.offered_at is None
    assert next_of(agent)["run"]["runId"] == run.run_id
