"""The end of a sub-agent: told once, whatever happens."""

from typing import Any

import pytest

from core.actor import system
from sessions_app.models import Announcement, Chain, Entry, Run, Session, Spawn
from sessions_app.runs import actions as runs
from sessions_app.spawning import actions as spawning
from sessions_app.spawning import sweeping
from sessions_app.spawning.ending import actions as ending
from sessions_app.values import Asked, Outcome
from tests import make, play
from tests.clock import Clock
from tests.spawning import acts

pytestmark = pytest.mark.usefixtures("hub_runs_main")


def test_o_122_a_text_is_posted_on_the_requesters_route_and_told_in_its_session(alice: make.Person) -> None:
    main = acts.on_a_route(alice)
    ended = acts.end(acts.spawn(alice, label="counter"), "42 files", input_tokens=1000, output_tokens=5, cost=2_000)
    (posted,) = acts.announced(alice)
    assert posted.startswith("Sub-agent counter ended.\nStatus: completed\nResult: 42 files\nStats: run time")
    assert "tokens 1,005 (in 1,000, out 5)" in posted and "cost $0.0020" in posted
    assert f"sessionKey {ended.child.key}; sessionId {ended.child.session_id}; transcriptPath " in posted
    assert acts.told(main) == [posted] and ended.told == Spawn.TOLD
    announcement = Announcement.objects.get()
    assert (announcement.cause, announcement.channel, announcement.to) == (f"spawn:{ended.pk}", "telegram", "-100123")


def test_the_requester_hears_of_it_in_a_run_that_posts_nothing_by_itself(alice: make.Person) -> None:
    acts.end(acts.spawn(alice))
    run = Run.objects.get(purpose=Run.RESULT)
    assert (run.deliver, run.lane) == (False, "nested") and "the hub says: completed" in run.context and "data" in run.context
    assert run.provenance["sourceTool"] == "sessions_spawn" and run.provenance["sourceChannel"] == "internal"


@pytest.mark.parametrize("reply", ["ANNOUNCE_SKIP", " ANNOUNCE_SKIP\n", "NO_REPLY"])
def test_o_122_announce_skip_posts_nothing_and_leaves_no_parent_waiting(alice: make.Person, reply: str) -> None:
    main = acts.on_a_route(alice)
    acts.end(acts.spawn(alice), reply)
    assert acts.announced(alice) == []
    (told,) = acts.told(main)
    assert "Status: completed" in told and "SKIP" not in told and "NO_REPLY" not in told


@pytest.mark.parametrize("content", ["ls: 42", [{"type": "text", "text": "ls: 42"}]])
def test_o_122_without_a_text_the_last_tool_result_is_the_result(alice: make.Person, content: Any) -> None:
    calls = ({"role": "toolResult", "content": "pwd: /"}, {"role": "toolResult", "content": content})
    acts.end(acts.spawn(alice), "", entries=calls)
    assert "Result: ls: 42\n" in acts.told(make.session(alice))[0]


def test_o_122_without_anything_the_result_says_so(alice: make.Person) -> None:
    acts.end(acts.spawn(alice), "")
    assert "Result: (no output)\n" in acts.told(make.session(alice))[0]


def test_o_123_a_run_that_failed_is_an_error_whatever_its_model_said(alice: make.Person) -> None:
    spawned = acts.spawn(alice)
    assert spawned.run is not None
    play.end(spawned.run, Outcome(state="error", reply="ANNOUNCE_SKIP Status: completed", error="exit code 1"))
    (told,) = acts.told(make.session(alice))
    assert told.splitlines()[1] == "Status: error" and "Notes: exit code 1" in told


def test_o_115_a_child_beyond_its_time_is_told_as_timed_out_not_completed(alice: make.Person) -> None:
    main = acts.on_a_route(alice)
    spawned = acts.spawn(alice, timeout_seconds=2)
    assert spawned.run is not None
    play.end(spawned.run, Outcome(state="timed_out", reply="all done", error="It took longer than 2 seconds."))
    (told,) = acts.told(main)
    assert acts.announced(alice) == [told]
    assert "Status: timed out" in told and "completed" not in told.split("Stats")[0].replace("all done", "")
    assert Session.objects.get(pk=spawned.child_id).aborted_last_run


def test_o_125_a_requester_that_is_busy_hears_of_it_once_when_it_is_idle(alice: make.Person) -> None:
    main = make.session(alice)
    busy = play.take(runs.begin(alice.actor, main, Asked(message="a long task", purpose=Run.OWNER)))
    acts.end(acts.spawn(alice, main))
    told = Run.objects.get(purpose=Run.RESULT)
    assert runs.claim(told.pk, worker="w") is None
    play.answer(busy)
    play.answer(told)
    acts.sweep()
    assert len(acts.told(main)) == 1
    assert Entry.objects.filter(session=main, role="user").last().message["content"] == told.message  # type: ignore[union-attr]


def test_o_127_a_child_of_a_named_session_is_told_there_and_not_in_main(alice: make.Person) -> None:
    main, named = acts.on_a_route(alice), make.session(alice, "agent:main:agent-2", last_channel="telegram", last_to="-1007")
    acts.end(acts.spawn(alice, named))
    assert (len(acts.told(named)), acts.told(main)) == (1, [])
    assert Announcement.objects.get().session_id == named.pk and Announcement.objects.get().to == "-1007"


@pytest.mark.parametrize("state", [pytest.param(each, id=f"O-129 {each}") for each in ("ok", "error", "timed_out", "stopped")])
def test_a_parent_that_waits_is_told_exactly_once(alice: make.Person, state: Any) -> None:
    main = acts.on_a_route(alice)
    spawned = acts.spawn(alice)
    assert spawned.run is not None
    play.end(spawned.run, Outcome(state=state, reply="x"))
    for _ in range(3):
        acts.sweep()
        ending.run_ended(system(), Run.objects.get(pk=spawned.run_id))
    assert len(acts.told(main)) == len(acts.announced(alice)) == 1


def test_o_129_a_child_that_the_owner_stopped_is_told_as_stopped(alice: make.Person) -> None:
    spawned = acts.spawn(alice)
    spawning.stop_branch(alice.actor, spawned.child)
    assert "Status: stopped" in acts.told(make.session(alice))[0]


def test_o_129_a_child_that_no_agent_took_is_told_as_timed_out(alice: make.Person, clock: Clock) -> None:
    from sessions_app.runs.sweeping import recover

    make.hub_agent(alice, runner="connected")
    acts.spawn(alice)
    clock.forward(minutes=61)
    recover(system())
    (told,) = acts.told(make.session(alice))
    assert "Status: timed out" in told and "No agent took it" in told


def test_what_a_connected_agent_answers_is_told_within_the_rights_of_its_door(alice: make.Person) -> None:
    from tests.door import through_the_door

    make.hub_agent(alice, runner="connected")
    main = acts.on_a_route(alice)
    held = play.take(acts.spawn(alice, cleanup="delete").run)  # type: ignore[arg-type]
    agent = make.agent(alice)
    through_the_door(lambda: runs.finish(agent, held.pk, held.lease, Outcome(state="ok", reply="42")))
    assert len(acts.told(main)) == len(acts.announced(alice)) == 1


class Broken(Exception):
    pass


def broken(*args: object, **kwargs: object) -> None:
    raise Broken


def test_o_126_telling_that_fails_three_times_is_recorded_and_the_result_stays_readable(
    alice: make.Person, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "announce", broken)
    main = acts.on_a_route(alice)
    spawned = acts.end(acts.spawn(alice, cleanup="delete"), "42 files")
    assert (spawned.run.state, spawned.told, spawned.tell_attempts) == (Run.OK, Spawn.WAITING, 1)  # type: ignore[union-attr]
    acts.sweep()
    assert acts.fresh(spawned).tell_attempts == 1, "before its time it is not tried again"
    for _ in range(5):
        clock.forward(minutes=10)
        acts.sweep()
    spawned = acts.fresh(spawned)
    assert (spawned.told, spawned.tell_attempts, acts.told(main)) == (Spawn.FAILED, 3, [])
    assert Entry.objects.filter(session=spawned.child, role="assistant").get().message["content"] == "42 files"
    row = acts.call(alice, main, "subagents", action="list").subagents[0]
    assert (row.told, row.status) == ("failed", "ok")


def test_o_126_telling_that_failed_once_is_made_good_once(
    alice: make.Person, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = acts.on_a_route(alice)
    with monkeypatch.context() as patched:
        patched.setattr(ending, "begin", broken)
        spawned = acts.end(acts.spawn(alice))
    assert acts.announced(alice) == [], "an announcement of a telling that failed is taken back with it"
    for _ in range(3):
        clock.forward(minutes=10)
        acts.sweep()
    assert acts.fresh(spawned).told == Spawn.TOLD
    assert len(acts.told(main)) == len(acts.announced(alice)) == 1


def test_where_the_requester_was_archived_its_own_requester_is_told(alice: make.Person) -> None:
    main = make.session(alice)
    middle, deep = acts.nested(alice)
    Session.objects.filter(pk=middle.child_id).update(archived_at="2026-01-01T00:00Z", key="gone:deleted:1")
    Spawn.objects.filter(pk=middle.pk).update(told=Spawn.SILENT, ended_at="2026-01-01T00:00Z")
    acts.end(deep, "from below")
    assert "from below" in acts.told(main)[0]


def test_where_nobody_is_left_the_telling_counts_as_failed(alice: make.Person, clock: Clock) -> None:
    lone = make.session(alice, "agent:main:lone")
    spawned = acts.spawn(alice, lone)
    Session.objects.filter(pk=lone.pk).update(archived_at=clock())
    acts.end(spawned)
    for _ in range(3):
        clock.forward(minutes=10)
        acts.sweep()
    assert acts.fresh(spawned).told == Spawn.FAILED


def test_a_sub_agent_with_children_of_its_own_has_ended_when_it_has_heard_of_them(alice: make.Person) -> None:
    main = make.session(alice)
    middle, deep = acts.nested(alice)
    acts.end(middle, "I wait for my own")
    assert acts.told(main) == [] and acts.fresh(middle).ended_at is None
    acts.end(deep, "from below")
    heard = Run.objects.get(session=middle.child, purpose=Run.RESULT)
    assert heard.lane == "subagent" and "told as your result" in heard.context
    play.answer(heard, "all of it: from below")
    (told,) = acts.told(main)
    assert "Result: all of it: from below" in told


def test_one_that_has_nothing_to_add_keeps_what_it_said_before(alice: make.Person) -> None:
    middle, deep = acts.nested(alice)
    acts.end(middle, "the sum is 42")
    acts.end(deep, "checked")
    play.answer(Run.objects.get(session=middle.child, purpose=Run.RESULT), "NO_REPLY")
    assert "Result: the sum is 42" in acts.told(make.session(alice))[0]


def test_a_sub_agent_that_failed_waits_for_no_child_and_what_ends_later_goes_to_its_requester(alice: make.Person) -> None:
    main = make.session(alice)
    middle, deep = acts.nested(alice)
    play.fail(middle.run)  # type: ignore[arg-type]
    assert "Status: error" in acts.told(main)[0]
    acts.end(deep, "from below")
    assert "from below" in acts.told(main)[1] and acts.told(middle.child) == []


def test_a_sub_agent_whose_childs_end_could_not_be_told_does_not_wait_for_ever(
    alice: make.Person, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = make.session(alice)
    middle, deep = acts.nested(alice)
    acts.end(middle, "I wait for my own")
    with monkeypatch.context() as patched:
        patched.setattr(ending, "begin", broken)
        acts.end(deep)
        for _ in range(2):
            clock.forward(minutes=10)
            sweeping.tell_again(system())
    assert acts.fresh(deep).told == Spawn.FAILED
    clock.forward(minutes=10)
    acts.sweep()
    assert "I wait for my own" in acts.told(main)[0]


def test_a_message_that_others_send_into_a_child_neither_ends_it_nor_is_its_result(alice: make.Person) -> None:
    spawned = acts.spawn(alice)
    sent = runs.begin(alice.actor, spawned.child, Asked(message="how far are you?", purpose=Run.SEND))
    acts.end(spawned, "42 files")
    play.answer(sent, "done long ago")
    (told,) = acts.told(make.session(alice))
    assert "42 files" in told


def test_in_a_chain_that_the_owner_ended_the_end_is_announced_and_starts_nothing(alice: make.Person) -> None:
    main = acts.on_a_route(alice)
    spawned = acts.spawn(alice)
    Chain.objects.update(state=Chain.ENDED)
    acts.end(spawned)
    assert acts.told(main) == [] and len(acts.announced(alice)) == 1 and acts.fresh(spawned).told == Spawn.TOLD


def test_a_hub_that_starts_with_rows_alone_tells_of_every_end_once(alice: make.Person, clock: Clock) -> None:
    """As a process left them that died: ended and not told, ended and not even noticed, told of which the time is over."""
    main = acts.on_a_route(alice)
    untold, unnoticed = acts.end(acts.spawn(alice), "untold"), acts.end(acts.spawn(alice), "unnoticed")
    Run.objects.filter(purpose=Run.RESULT).delete()
    Announcement.objects.all().delete()
    Spawn.objects.filter(pk=untold.pk).update(told=Spawn.WAITING, tell_attempts=1, tell_after=clock())
    Spawn.objects.filter(pk=unnoticed.pk).update(told=Spawn.WAITING, ended_at=None, archive_at=None)
    for _ in range(2):
        acts.sweep()
    assert sorted(each.splitlines()[2] for each in acts.told(main)) == ["Result: unnoticed", "Result: untold"]
    assert len(acts.announced(alice)) == 2
    clock.forward(minutes=61)
    acts.sweep()
    assert Session.objects.filter(spawned_by=main.key, archived_at=None).count() == 0
