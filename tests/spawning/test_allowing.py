"""Who may spawn: how deep, how many, and under which agents."""

from typing import Any

import pytest

from core.errors import Forbidden, Invalid, NotFound
from sessions_app.models import Agent, Run, Session, Spawn
from sessions_app.runs import actions as runs
from sessions_app.spawning import actions, reading
from sessions_app.spawning.values import Wanted
from sessions_app.values import Asked
from tests import make, play
from tests.spawning import acts

pytestmark = pytest.mark.usefixtures("hub_runs_main")


def test_o_102_a_caller_at_depth_1_of_2_spawns_a_leaf(alice: make.Person) -> None:
    acts.settings(alice, subagent_depth=2)
    child = acts.spawn(alice).child
    leaf = acts.spawn(alice, child).child
    assert leaf.spawn_depth == 2
    assert "2 of at most 2" in acts.refused(alice, Forbidden, leaf)


@pytest.mark.parametrize("known_by", ["stored", "ancestry by keys", "ancestry by session ids", "given as session id"])
def test_o_102_a_caller_at_depth_2_of_2_is_forbidden(alice: make.Person, known_by: str) -> None:
    acts.settings(alice, subagent_depth=2)
    main = make.session(alice)
    middle = make.session(alice, "agent:main:middle", spawned_by=str(main.session_id) if "ids" in known_by else main.key)
    above = str(middle.session_id) if "ids" in known_by else middle.key
    stored = 2 if known_by == "stored" else 0
    caller = make.session(alice, "agent:main:deep", spawned_by="" if stored else above, spawn_depth=stored)
    if known_by == "given as session id":
        found = reading.named(alice.account.pk, str(caller.session_id))
        assert found is not None
        caller = found
    assert "do the task yourself" in acts.refused(alice, Forbidden, caller)


def test_a_ring_of_ancestors_is_walked_once(alice: make.Person) -> None:
    first = make.session(alice, "agent:main:a", spawned_by="agent:main:b")
    make.session(alice, "agent:main:b", spawned_by="agent:main:a")
    assert reading.depth_of(first) == 1


def test_by_default_a_sub_agent_spawns_nobody(alice: make.Person) -> None:
    assert "1 of at most 1" in acts.refused(alice, Forbidden, acts.spawn(alice).child)


def test_what_the_owner_denies_sub_agents_is_denied_at_any_depth(alice: make.Person) -> None:
    acts.settings(alice, subagent_depth=3, subagent_tools_deny=["sessions_*"])
    assert "denies" in acts.refused(alice, Forbidden, acts.spawn(alice).child)


@pytest.mark.parametrize(("depth", "denied", "has_them"), [(1, [], False), (2, [], True), (2, ["sessions_*"], False)])
def test_the_tools_for_sub_agents_are_those_of_whoever_may_have_some(
    alice: make.Person, depth: int, denied: list[str], has_them: bool
) -> None:
    from sessions_app.models import SessionSettings
    from sessions_app.runners.whitelist import usable

    acts.settings(alice, subagent_depth=depth, subagent_tools_deny=denied)
    kept, child = SessionSettings.objects.get(pk=alice.account.pk), acts.spawn(alice).child
    found = usable(kept, Agent.objects.get(account=alice.account, slug="main"), child)
    assert ("sessions_spawn" in found) is has_them and "sessions_send" not in found


@pytest.mark.django_db(transaction=True)
def test_o_103_of_two_spawns_at_once_the_limit_lets_one_through(alice: make.Person) -> None:
    from threading import Barrier, Thread

    from django.db import connections

    make.hub_agent(alice)
    acts.settings(alice, subagent_children=1)
    main, both, said = make.session(alice), Barrier(2), []
    actors = [make.in_session(alice, main) for _ in range(2)]

    def ask(actor: Any) -> None:
        both.wait(10)
        try:
            actions.spawn(actor, main, Wanted(task="count"))
            said.append("accepted")
        except Forbidden:
            said.append("forbidden")
        finally:
            connections.close_all()

    threads = [Thread(target=ask, args=(each,)) for each in actors]
    for each in threads:
        each.start()
    for each in threads:
        each.join(30)
    assert sorted(said) == ["accepted", "forbidden"] and Spawn.objects.count() == 1


def test_o_103_at_the_limit_of_active_children_the_next_is_forbidden(alice: make.Person) -> None:
    acts.settings(alice, subagent_children=1)
    first = acts.spawn(alice)
    assert "1/1" in acts.refused(alice, Forbidden)
    acts.end(first)
    acts.spawn(alice)


def test_o_104_beyond_what_runs_at_once_a_spawn_is_accepted_and_waits(alice: make.Person) -> None:
    acts.settings(alice, subagent_children=5, subagent_concurrent=1)
    first, second = acts.spawn(alice), acts.spawn(alice)
    assert first.run is not None and second.run is not None
    held = play.take(first.run)
    assert runs.claim(second.run.pk, worker="w") is None
    play.answer(held)
    assert runs.claim(second.run.pk, worker="w") is not None


@pytest.mark.parametrize(
    ("allowed", "wanted", "accepted"),
    [
        pytest.param([], "beta", False, id="O-105 no list"),
        pytest.param(["alpha"], "beta", False, id="O-105 another"),
        pytest.param(["beta"], "beta", True, id="O-105 named"),
        pytest.param(["*"], "beta", True, id="O-105 everyone"),
        pytest.param(["Research"], "research", True, id="O-105 in another case"),
        pytest.param([], "main", True, id="O-105 itself"),
        pytest.param(["bet*"], "beta", False, id="O-105 no patterns"),
        pytest.param(["my-research_agent01"], "my-research_agent01", True, id="O-107"),
    ],
)
def test_an_agent_spawns_under_those_on_its_list(alice: make.Person, allowed: list[str], wanted: str, accepted: bool) -> None:
    make.hub_agent(alice, allow_agents=allowed)
    make.hub_agent(alice, wanted)
    if accepted:
        assert acts.spawn(alice, agent_id=wanted).child.agent == wanted
    else:
        assert "agents_list" in acts.refused(alice, Forbidden, agent_id=wanted)


@pytest.mark.parametrize("wanted", ["Agent not found: xyz", "../../../etc/passwd", "a" * 65, "-a", "a b", "a\0b"])
def test_o_106_what_can_be_no_agent_is_an_error_that_points_to_agents_list(alice: make.Person, wanted: str) -> None:
    make.hub_agent(alice, allow_agents=["*"])
    assert "agents_list" in acts.refused(alice, Invalid, agent_id=wanted)


def test_o_108_an_agent_that_is_allowed_but_not_configured_is_accepted(alice: make.Person) -> None:
    make.hub_agent(alice, allow_agents=["ghost"])
    spawned = acts.spawn(alice, agent_id="ghost")
    assert spawned.run is not None
    assert (spawned.child.agent, spawned.run.runner) == ("ghost", runs.runner_of(make.session(alice, "agent:ghost:main")))


def test_an_agent_that_is_switched_off_takes_no_task(alice: make.Person) -> None:
    make.hub_agent(alice, allow_agents=["*"])
    make.hub_agent(alice, "beta", enabled=False)
    assert "switched off" in acts.refused(alice, Forbidden, agent_id="beta")


@pytest.mark.parametrize("by", ["session", "agent"])
def test_the_children_of_a_sandboxed_requester_are_sandboxed(alice: make.Person, by: str) -> None:
    make.hub_agent(alice, allow_agents=["*"], sandboxed=by == "agent")
    make.hub_agent(alice, "beta", sandboxed=False)
    make.hub_agent(alice, "gamma", sandboxed=True)
    main = make.session(alice, sandboxed=by == "session")
    assert acts.spawn(alice, main).child.sandboxed and acts.spawn(alice, main, agent_id="gamma").child.sandboxed
    assert "sandboxed" in acts.refused(alice, Forbidden, main, agent_id="beta")
    assert "sandboxed" in acts.refused(alice, Forbidden, main, agent_id="unconfigured")


def taken_by(agent: Any, who: make.Person, run: Run) -> Run:
    """A run that a connected agent took from another session than its own."""
    from sessions_app.connected.reading import holder
    from sessions_app.finding.actions import own_session

    claimed = runs.claim(run.pk, worker=holder(agent, own_session(agent).pk))
    assert claimed is not None
    return claimed[0]


def test_a_connected_agent_that_took_a_sub_agents_run_spawns_no_deeper_than_that(alice: make.Person) -> None:
    make.hub_agent(alice, runner="connected")
    agent = make.agent(alice)
    held = taken_by(agent, alice, acts.spawn(alice).run)  # type: ignore[arg-type]
    with pytest.raises(Forbidden):
        acts.call_as(agent, "sessions_spawn", task="more of it")
    play.answer(held)
    acts.call_as(agent, "sessions_spawn", task="more of it")


def test_a_connected_agent_that_took_a_run_spawns_within_its_chain_and_its_sandbox(alice: make.Person) -> None:
    make.hub_agent(alice, runner="connected")
    agent, main = make.agent(alice), make.session(alice, sandboxed=True)
    held = taken_by(agent, alice, runs.begin(alice.actor, main, Asked(message="go", purpose=Run.OWNER)))
    answer = acts.call_as(agent, "sessions_spawn", task="a part of it")
    assert Run.objects.get(run_id=answer.runId).chain_id == held.chain_id
    assert Session.objects.get(key=answer.childSessionKey).sandboxed


def test_a_token_without_the_scope_spawns_nothing(alice: make.Person) -> None:
    main = make.session(alice)
    with pytest.raises(Forbidden):
        actions.spawn(make.in_session(alice, main, scopes="sessions.read sessions.send"), main, Wanted(task="x"))
    assert not Spawn.objects.exists()


def test_charlie_spawns_nothing_from_alices_sessions(alice: make.Person, charlie: make.Person) -> None:
    main = make.session(alice)
    for actor in (make.agent(charlie), charlie.actor):
        with pytest.raises(NotFound):
            actions.spawn(actor, main, Wanted(task="x"))
    assert not Spawn.objects.exists()
