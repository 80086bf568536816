"""Wakes from the post to the launcher's answer."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Launch
from audit.models import Entry
from chat import actions
from chat.models import Attendance, Grant, Mention, Wake
from chat.values import Draft
from chat.wakes.actions import pending, settle, settle_overdue
from core.actor import Actor, Door, system
from core.errors import Forbidden, Invalid
from tests import make
from tests.clock import Clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead(alice: make.Person, clock: Clock) -> Actor:
    """A launch that may be woken and has been done for a minute."""
    agent = make.granted(alice, wake=True)
    idle(agent, clock, 60)
    return agent


def idle(agent: Actor, clock: Clock, seconds: float) -> None:
    """It has been done for so long, and its launcher is heard of."""
    since = clock.moment - timedelta(seconds=seconds)
    told = {"account_id": agent.account_id, "status": "done", "status_at": since}
    Attendance.objects.update_or_create(launch_id=agent.launch_id, defaults=told)
    Launch.objects.filter(pk=agent.launch_id).update(seen_at=clock.moment)


def call(who: Actor, body: str = "@lead please look", **more: object) -> list[tuple[str, str]]:
    draft = Draft(body=body, session_name="peer", **more)  # type: ignore[arg-type]
    return list((actions.post_as_owner if not who.is_agent else actions.post)(who, draft).wakes)


def launcher(agent: Actor) -> Actor:
    return Actor(door=Door.WEBSOCKET, account_id=agent.account_id, connection_id=agent.connection_id, launch_id=agent.launch_id)


def audited() -> list[str]:
    return [entry.details["outcome"] for entry in Entry.objects.filter(deed="chat.wake").order_by("id")]


def test_a_mention_asks_the_launcher_of_an_idle_pane_and_what_it_typed_is_recorded_and_an_offer(
    alice: make.Person, lead: Actor
) -> None:
    assert call(make.agent(alice)) == [("lead", "pending")]
    (wake,) = pending(lead.launch_id or 0)
    assert audited() == []
    assert settle(launcher(lead), wake_id=wake, outcome="ok")
    assert audited() == ["ok"] and pending(lead.launch_id or 0) == []
    assert Mention.objects.get().offered_by == "wake"
    entry = Entry.objects.get(deed="chat.wake")
    assert entry.target_label == "@lead" and "please look" not in str(entry.details)


def test_t_56_a_grant_without_wake_is_not_woken_and_not_in_the_audit(alice: make.Person, clock: Clock) -> None:
    agent = make.granted(alice, wake=False)
    idle(agent, clock, 60)
    assert call(make.agent(alice)) == []
    assert not Wake.objects.exists() and audited() == []


@pytest.mark.parametrize(("seconds", "outcome"), [(19, "not-idle"), (20, "pending")])
def test_t_58_a_pane_done_for_19_seconds_is_not_idle(
    alice: make.Person, lead: Actor, clock: Clock, seconds: int, outcome: str
) -> None:
    idle(lead, clock, seconds)
    assert call(make.agent(alice)) == [("lead", outcome)]


@pytest.mark.parametrize("status", ["busy", ""])
def test_t_58_a_busy_agent_is_left_alone(alice: make.Person, lead: Actor, status: str) -> None:
    Attendance.objects.update(status=status)
    assert call(make.agent(alice)) == [("lead", "not-idle")]
    assert audited() == ["not-idle"]


@pytest.mark.parametrize("outcome", ["focused", "refused", "stale", "not-idle"])
def test_t_59_what_the_launcher_found_is_recorded_and_costs_no_wake(
    alice: make.Person, lead: Actor, clock: Clock, outcome: str
) -> None:
    call(make.agent(alice))
    settle(launcher(lead), wake_id=pending(lead.launch_id or 0)[0], outcome=outcome, detail="seen\x1b by a client")
    assert audited() == [outcome] and Wake.objects.get().detail == "seen? by a client"
    assert Mention.objects.get().offered_at is None
    assert call(make.agent(alice)) == [("lead", "pending")]


@pytest.mark.parametrize(("seconds", "outcome"), [(119, "rate"), (121, "pending")])
def test_t_60_two_wakes_lie_two_minutes_apart(alice: make.Person, lead: Actor, clock: Clock, seconds: int, outcome: str) -> None:
    call(make.agent(alice))
    settle(launcher(lead), wake_id=pending(lead.launch_id or 0)[0], outcome="ok")
    clock.forward(seconds=seconds)
    idle(lead, clock, 30)
    assert call(make.agent(alice)) == [("lead", outcome)]


@pytest.mark.parametrize(("times", "outcome"), [(10, "rate"), (9, "pending")])
def test_t_61_ten_wakes_an_hour(alice: make.Person, lead: Actor, clock: Clock, times: int, outcome: str) -> None:
    for _ in range(times):
        call(make.agent(alice))
        settle(launcher(lead), wake_id=pending(lead.launch_id or 0)[0], outcome="ok")
        clock.forward(minutes=5)
        idle(lead, clock, 30)
    assert call(make.agent(alice)) == [("lead", outcome)]
    clock.forward(minutes=20)
    idle(lead, clock, 30)
    assert call(make.agent(alice)) == [("lead", "pending")]


def thread_of(alice: make.Person, count: int) -> int:
    root = make.message(alice)
    for _ in range(count - 1):
        make.message(alice, reply_to=root)
    return root


@pytest.mark.parametrize(("earlier", "outcome"), [(5, "loop"), (4, "pending")])
def test_t_62_a_thread_that_now_ends_in_six_messages_of_agents_is_a_loop(
    alice: make.Person, lead: Actor, earlier: int, outcome: str
) -> None:
    assert call(make.agent(alice), thread=thread_of(alice, earlier)) == [("lead", outcome)]


def test_t_62_a_post_of_the_maintainer_ends_a_loop(alice: make.Person, lead: Actor) -> None:
    root = thread_of(alice, 6)
    assert call(alice.actor, thread=root) == [("lead", "pending")]
    settle(launcher(lead), wake_id=pending(lead.launch_id or 0)[0], outcome="refused")
    assert call(make.agent(alice), thread=root) == [("lead", "pending")]


@pytest.mark.parametrize("change", [{"pane_state": "replaced"}, {"pane_state": "exited"}, {"pane_state": "none"}])
def test_t_64_a_pane_that_is_not_claimed_any_more_is_stale(alice: make.Person, lead: Actor, change: dict[str, Any]) -> None:
    Launch.objects.update(**change)
    assert call(make.agent(alice)) == [("lead", "stale")]


def test_t_64_a_launcher_that_is_not_heard_of_is_asked_nothing(alice: make.Person, lead: Actor, clock: Clock) -> None:
    clock.forward(seconds=31)
    assert call(make.agent(alice)) == [("lead", "stale")]


def test_t_67_a_missed_wake_is_not_tried_again_and_its_mention_comes_with_the_next_digest(
    alice: make.Person, lead: Actor, clock: Clock
) -> None:
    from chat.hooks import answer

    call(make.agent(alice))
    clock.forward(seconds=10)
    assert pending(lead.launch_id or 0) == []
    assert settle_overdue(system()) == 1
    assert audited() == ["refused"] and Wake.objects.get().detail == "the launcher did not answer"
    assert not settle(launcher(lead), wake_id=Wake.objects.get().pk, outcome="ok")
    assert Wake.objects.count() == 1 and "please look" in answer(lead.launch_id or 0, "UserPromptSubmit")


def test_an_unanswered_wake_counts_no_longer_once_another_is_decided(alice: make.Person, lead: Actor, clock: Clock) -> None:
    call(make.agent(alice))
    clock.forward(seconds=9)
    idle(lead, clock, 30)
    assert call(make.agent(alice)) == [("lead", "rate")]
    clock.forward(seconds=1)
    idle(lead, clock, 30)
    assert call(make.agent(alice)) == [("lead", "pending")]
    assert audited() == ["rate", "refused"]


def test_replay_53_two_agents_that_thank_each_other_are_woken_ten_times_an_hour_at_most(
    alice: make.Person, lead: Actor, clock: Clock
) -> None:
    for _ in range(60):
        call(make.agent(alice), "@lead thank you so much")
        for wake in pending(lead.launch_id or 0):
            settle(launcher(lead), wake_id=wake, outcome="ok")
        clock.forward(minutes=1)
        idle(lead, clock, 30)
    assert Wake.objects.filter(outcome="ok").count() == 10


def test_replay_54_a_reply_mentions_and_wakes_nobody_by_itself(alice: make.Person, lead: Actor) -> None:
    asked = make.message(alice, "@maintainer how", by=lead)
    assert call(make.agent(alice), "like this", reply_to=asked) == []
    assert Mention.objects.filter(target="handle:lead").count() == 0 and not Wake.objects.exists()


@pytest.mark.parametrize("body", ["@lead", "@lead .", "@lead 👍", "`code` @lead !"])
def test_replay_56_a_bare_mention_wakes_nobody(alice: make.Person, lead: Actor, body: str) -> None:
    expected = "pending" if "code" in body else "refused"
    assert call(make.agent(alice), body) == [("lead", expected)]
    assert Mention.objects.count() == 1


def test_replay_45_a_mention_is_kept_before_anybody_is_asked_to_type(alice: make.Person, lead: Actor) -> None:
    Launch.objects.update(wakeable=False)
    assert call(make.agent(alice)) == [("lead", "stale")]
    assert Mention.objects.filter(read_at=None).count() == 1


def test_several_targets_are_decided_each_by_itself(alice: make.Person, lead: Actor, clock: Clock) -> None:
    idle(make.granted(alice, "tester", wake=True), clock, 5)
    assert sorted(call(make.agent(alice), "@tester @lead go")) == [("lead", "pending"), ("tester", "not-idle")]


def test_nobody_but_its_own_launcher_settles_a_wake(alice: make.Person, charlie: make.Person, lead: Actor) -> None:
    call(make.agent(alice))
    wake = pending(lead.launch_id or 0)[0]
    for other in (make.granted(charlie), make.granted(alice, "other"), make.agent(alice)):
        assert not settle(other, wake_id=wake, outcome="ok")
    assert pending(lead.launch_id or 0) == [wake]
    with pytest.raises(Invalid):
        settle(launcher(lead), wake_id=wake, outcome="pending")
    with pytest.raises(Forbidden):
        settle_overdue(launcher(lead))


def test_a_revoked_grant_is_not_woken(alice: make.Person, lead: Actor, clock: Clock) -> None:
    Grant.objects.update(ended_at=clock.moment, end="revoked")
    assert call(make.agent(alice)) == []
