"""Listing, stopping and steering sub-agents."""

from typing import Any

import pytest

from core.errors import Conflict, DomainError, Forbidden, Invalid, NotFound, TooMany
from sessions_app.models import Run, Session, Spawn
from sessions_app.spawning import actions
from sessions_app.values import Outcome
from tests import make, play
from tests.clock import Clock
from tests.spawning import acts

pytestmark = pytest.mark.usefixtures("hub_runs_main")


def command(who: make.Person, own: Session | None = None, action: str = "list", **arguments: Any) -> Any:
    return acts.call(who, own or make.session(who), "subagents", action=action, **arguments)


def state(spawned: Spawn) -> str:
    return str(acts.fresh(spawned).run.state)  # type: ignore[union-attr]


def test_o_131_the_list_numbers_ones_own_active_ones_first_and_says_how_each_is(alice: make.Person, clock: Clock) -> None:
    old = acts.end(acts.spawn(alice, label="old", task="first\ntask"), input_tokens=7, output_tokens=3)
    waiting, running = acts.spawn(alice), acts.spawn(alice)
    play.take(running.run)  # type: ignore[arg-type]
    clock.forward(seconds=90)
    rows = command(alice).subagents
    assert [(each.number, each.status, each.sessionKey) for each in rows] == [
        (1, "running", running.child.key),
        (2, "queued", waiting.child.key),
        (3, "ok", old.child.key),
    ]
    assert (rows[0].runSeconds, rows[1].runSeconds, rows[2].totalTokens) == (90, 0, 10)
    assert (rows[2].label, rows[2].task, rows[2].told) == ("old", "first task", "told")


def test_the_list_shows_what_ones_own_spawned_and_nothing_of_others(alice: make.Person) -> None:
    middle, deep = acts.nested(alice)
    acts.spawn(alice, make.session(alice, "agent:main:other"))
    assert {each.sessionKey for each in command(alice).subagents} == {middle.child.key, deep.child.key}
    assert {each.sessionKey for each in command(alice, middle.child).subagents} == {deep.child.key}


def test_o_132_kill_1_stops_the_active_one_for_active_ones_come_first(alice: make.Person) -> None:
    active = acts.spawn(alice)
    recent = acts.end(acts.spawn(alice))
    answer = command(alice, action="kill", target="1")
    assert (answer.status, answer.killed) == ("ok", [active.child.key])
    assert (state(active), state(recent)) == ("stopped", "ok")


def test_o_132_kill_all_cascades_through_ended_parents(alice: make.Person) -> None:
    acts.settings(alice, subagent_depth=3)
    main = make.session(alice)
    middle = acts.spawn(alice, main)
    deep = acts.spawn(alice, middle.child)
    deepest = acts.spawn(alice, deep.child)
    play.fail(middle.run)  # type: ignore[arg-type]
    acts.end(deep, "I wait")
    answer = command(alice, main, "kill", target="all")
    assert answer.killed == [deepest.child.key] and state(deepest) == "stopped"
    assert all(acts.fresh(each).ended_at for each in (middle, deep, deepest))
    assert len(acts.told(main)) == 1, "of what it killed itself nobody is told"


def test_killing_one_stops_what_lies_beneath_it_too(alice: make.Person) -> None:
    main = make.session(alice)
    middle, deep = acts.nested(alice)
    other = acts.spawn(alice, main)
    command(alice, main, "kill", target=middle.child.key)
    assert (state(middle), state(deep), state(other)) == ("stopped", "stopped", "queued")
    assert acts.told(main) == [] and acts.fresh(middle).told == acts.fresh(deep).told == Spawn.SILENT


def test_one_that_a_worker_runs_is_asked_to_stop_and_its_end_is_not_told(alice: make.Person) -> None:
    main = acts.on_a_route(alice)
    spawned = acts.spawn(alice)
    held = play.take(spawned.run)  # type: ignore[arg-type]
    assert command(alice, main, "kill", target="last").killed == [spawned.child.key]
    held.refresh_from_db()
    assert held.stop_asked_at is not None and held.state == Run.RUNNING
    play.end(held, Outcome(state="stopped"))
    assert acts.fresh(spawned).ended_at is not None and acts.told(main) == [] == acts.announced(alice)


def test_killing_one_that_has_ended_is_done(alice: make.Person) -> None:
    acts.end(acts.spawn(alice))
    answer = command(alice, action="kill", target="1")
    assert (answer.status, answer.killed) == ("done", [])


@pytest.mark.parametrize("by", ["number", "last", "label", "LABEL", "key", "KEY", "session id", "run id"])
def test_one_is_named_by_number_label_key_or_run_id(alice: make.Person, by: str) -> None:
    acts.spawn(alice)
    spawned = acts.spawn(alice, label="Counter")
    assert spawned.run is not None
    names = {
        "number": "1",
        "last": " Last ",
        "label": "Counter",
        "LABEL": "COUNTER",
        "key": spawned.child.key,
        "KEY": spawned.child.key.upper(),
        "session id": str(spawned.child.session_id),
        "run id": spawned.run.run_id,
    }
    assert command(alice, action="kill", target=names[by]).killed == [spawned.child.key]


@pytest.mark.parametrize("target", ["0", "3", "99999999999999999999", "nobody", "agent:main:main", "²", "a\0b"])
def test_what_is_none_of_ones_own_is_not_found(alice: make.Person, target: str) -> None:
    acts.spawn(alice)
    for action in ("kill", "steer"):
        with pytest.raises(DomainError) as caught:
            command(alice, action=action, target=target, message="x")
        assert caught.value.code == ("forbidden" if (action, target) == ("steer", "agent:main:main") else "not_found")


@pytest.mark.parametrize(
    "arguments", [{"action": "kill"}, {"action": "steer", "message": "x"}, {"action": "kill", "target": " "}]
)
def test_a_command_without_a_target_says_what_is_missing(alice: make.Person, arguments: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="target"):
        command(alice, **arguments)


def test_two_that_are_called_the_same_are_told_apart_by_number(alice: make.Person) -> None:
    acts.spawn(alice)
    acts.spawn(alice)
    Spawn.objects.update(label="twin")
    with pytest.raises(Conflict):
        command(alice, action="kill", target="twin")


def test_others_sub_agents_are_as_unknown_as_none_at_all(alice: make.Person, charlie: make.Person) -> None:
    spawned = acts.spawn(alice)
    make.hub_agent(charlie)
    for who, own in ((charlie, make.session(charlie)), (alice, make.session(alice, "agent:main:other"))):
        for action in ("kill", "steer"):
            with pytest.raises(NotFound):
                command(who, own, action, target=spawned.child.key, message="x")
    assert state(spawned) == "queued"


def test_steering_takes_the_place_of_what_a_child_does_and_is_told_of_once(alice: make.Person) -> None:
    main = make.session(alice)
    spawned = acts.spawn(alice, main)
    old = play.take(spawned.run)  # type: ignore[arg-type]
    answer = command(alice, main, "steer", target="1", message="count the folders instead")
    assert answer.status == "accepted"
    old.refresh_from_db()
    assert old.stop_asked_at is not None
    play.end(old, Outcome(state="stopped"))
    assert acts.told(main) == []
    steered = Run.objects.get(run_id=answer.runId)
    assert (steered.message, steered.lane, steered.chain_id) == ("count the folders instead", "subagent", old.chain_id)
    play.answer(steered, "7 folders")
    assert len(acts.told(main)) == 1 and "7 folders" in acts.told(main)[0]


def test_one_that_has_not_begun_gets_its_task_with_the_message(alice: make.Person) -> None:
    spawned = acts.spawn(alice, task="count the files", model="m", timeout_seconds=9)
    answer = command(alice, action="steer", target="1", message="only those of today")
    steered = Run.objects.get(run_id=answer.runId)
    assert steered.message == "count the files\n\nonly those of today"
    assert (steered.model, steered.timeout_seconds) == ("m", 9) and Run.objects.get(pk=spawned.run_id).state == "stopped"
    assert acts.told(make.session(alice)) == [] and acts.fresh(spawned).ended_at is None


@pytest.mark.parametrize(
    ("message", "refusal"),
    [
        pytest.param("x" * 4001, Invalid, id="O-133 4,001 characters"),
        pytest.param(" ", Invalid, id="blank"),
        pytest.param("a\0", Invalid, id="no text"),
        pytest.param(None, Invalid, id="none"),
    ],
)
def test_a_message_that_steers_nobody_is_an_error(alice: make.Person, message: str | None, refusal: type[DomainError]) -> None:
    acts.spawn(alice)
    with pytest.raises(refusal):
        command(alice, action="steer", target="1", message=message)
    assert Run.objects.count() == 1


def test_o_133_4000_characters_steer(alice: make.Person) -> None:
    acts.spawn(alice)
    assert command(alice, action="steer", target="1", message="x" * 4000).status == "accepted"


def test_o_133_twice_within_two_seconds_is_rate_limited(alice: make.Person, clock: Clock) -> None:
    acts.spawn(alice)
    command(alice, action="steer", target="1", message="left")
    clock.forward(seconds=1.9)
    with pytest.raises(TooMany) as caught:
        command(alice, action="steer", target="1", message="right")
    assert caught.value.code == "rate_limited"
    clock.forward(seconds=0.1)
    assert command(alice, action="steer", target="1", message="right").status == "accepted"


@pytest.mark.parametrize("by", ["key", "session id"])
def test_o_133_nobody_steers_itself(alice: make.Person, by: str) -> None:
    acts.settings(alice, subagent_depth=2)
    child = acts.spawn(alice).child
    with pytest.raises(Forbidden):
        command(alice, child, "steer", target=child.key if by == "key" else str(child.session_id), message="x")


@pytest.mark.parametrize("action", ["steer", "kill"])
def test_o_133_a_leaf_commands_nobody(alice: make.Person, action: str) -> None:
    acts.spawn(alice)
    leaf = acts.spawn(alice).child
    with pytest.raises(Forbidden):
        command(alice, leaf, action, target="1", message="x")
    assert command(alice, leaf).subagents == []


def test_o_133_steering_one_that_has_finished_is_done(alice: make.Person) -> None:
    acts.end(acts.spawn(alice))
    runs_before = Run.objects.count()
    assert command(alice, action="steer", target="1", message="x").status == "done"
    assert Run.objects.count() == runs_before


def test_the_owner_stops_a_session_with_all_beneath_and_its_requester_is_told(alice: make.Person) -> None:
    main = make.session(alice)
    middle, deep = acts.nested(alice)
    acts.end(middle, "I wait")
    stopped = actions.stop_branch(alice.actor, middle.child)
    assert [each.pk for each in stopped] == [deep.child_id]
    assert acts.told(middle.child) == []
    (told,) = acts.told(main)
    assert "Notes: Some of its own sub-agents were stopped" in told


def test_only_the_owner_stops_a_branch(alice: make.Person, charlie: make.Person) -> None:
    spawned = acts.spawn(alice)
    for actor in (make.agent(alice), charlie.actor, make.agent(charlie)):
        with pytest.raises(Forbidden):
            actions.stop_branch(actor, spawned.child)
    assert state(spawned) == "queued"


@pytest.mark.parametrize("name", ["sessions_spawn", "subagents"])
def test_a_tool_costs_little_of_the_list(name: str) -> None:
    import json

    from core.tools import tools
    from project.mcp.server import describe

    tool = tools.get(name)
    assert tool is not None
    shown = describe(tool).model_dump(mode="json", by_alias=True, exclude_none=True)
    assert len(json.dumps({key: shown[key] for key in ("description", "inputSchema")}, separators=(",", ":"))) <= 1100
    assert len(json.dumps(shown, separators=(",", ":"))) <= 1600
