"""Beginning a sub-agent."""

import re
from typing import Any

import pytest
from django.db import transaction

from core import clock as hub_clock
from core.errors import Conflict, DomainError, Forbidden, Invalid, NotFound
from sessions_app.models import Agent, Chain, ModelProvider, Run, Session, Spawn
from sessions_app.runs import actions as runs
from sessions_app.spawning import actions, reading
from sessions_app.spawning.values import Wanted
from sessions_app.values import Asked
from tests import make, play
from tests.spawning import acts

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"


@pytest.fixture(autouse=True)
def hub_runs_main(alice: make.Person) -> None:
    make.hub_agent(alice, allow_agents=[])


def sessions() -> set[str]:
    return set(Session.objects.values_list("key", flat=True))


def refused(who: make.Person, refusal: type[DomainError], requester: Session | None = None, **wanted: Any) -> str:
    """What a refusal says; nothing was made of it."""
    held = requester or make.session(who)
    before = (sessions(), Run.objects.count(), Spawn.objects.count())
    with pytest.raises(refusal) as caught, transaction.atomic():
        acts.spawn(who, held, **wanted)
    assert (sessions(), Run.objects.count(), Spawn.objects.count()) == before
    return caught.value.detail


def test_o_100_a_spawn_is_accepted_at_once_with_a_session_and_a_run_of_its_own(alice: make.Person) -> None:
    main = make.session(alice)
    answer = acts.call(alice, main, "sessions_spawn", task="count the files")
    child = Session.objects.get(key=answer.childSessionKey)
    run = Run.objects.get(run_id=answer.runId)
    assert answer.status == "accepted" and re.fullmatch(f"agent:main:subagent:{UUID}", child.key)
    assert (run.session_id, run.message, run.deliver, run.lane, run.state) == (
        child.pk,
        "count the files",
        False,
        "subagent",
        "queued",
    )
    assert (child.spawned_by, child.spawn_depth, child.agent) == (main.key, 1, "main")
    assert answer.model_dump(exclude_none=True).keys() == {"status", "runId", "childSessionKey"}


def test_a_connected_agent_spawns_from_its_own_node_session(alice: make.Person) -> None:
    agent = make.agent(alice)
    answer = acts.call_as(agent, "sessions_spawn", task="count", session_name="Builder")
    assert Session.objects.get(key=answer.childSessionKey).spawned_by == f"node-{agent.connection_id}-builder"


def test_the_agent_of_a_child_hears_whose_it_is_and_what_becomes_of_its_reply(alice: make.Person) -> None:
    run = acts.spawn(alice).run
    assert run is not None and "agent:main:main" in run.context and "ANNOUNCE_SKIP" in run.context
    assert run.provenance["sourceSessionKey"] == "agent:main:main" and run.provenance["sourceTool"] == "sessions_spawn"


def test_o_102_a_caller_at_depth_1_of_2_spawns_a_leaf(alice: make.Person) -> None:
    acts.settings(alice, subagent_depth=2)
    child = acts.spawn(alice).child
    leaf = acts.spawn(alice, child).child
    assert leaf.spawn_depth == 2
    assert "2 of at most 2" in refused(alice, Forbidden, leaf)


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
    assert "do the task yourself" in refused(alice, Forbidden, caller)


def test_a_ring_of_ancestors_is_walked_once(alice: make.Person) -> None:
    first = make.session(alice, "agent:main:a", spawned_by="agent:main:b")
    make.session(alice, "agent:main:b", spawned_by="agent:main:a")
    assert reading.depth_of(first) == 1


def test_by_default_a_sub_agent_spawns_nobody(alice: make.Person) -> None:
    assert "1 of at most 1" in refused(alice, Forbidden, acts.spawn(alice).child)


def test_what_the_owner_denies_sub_agents_is_denied_at_any_depth(alice: make.Person) -> None:
    acts.settings(alice, subagent_depth=3, subagent_tools_deny=["sessions_*"])
    assert "denies" in refused(alice, Forbidden, acts.spawn(alice).child)


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
    assert "1/1" in refused(alice, Forbidden)
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
        assert "agents_list" in refused(alice, Forbidden, agent_id=wanted)


@pytest.mark.parametrize("wanted", ["Agent not found: xyz", "../../../etc/passwd", "a" * 65, "-a", "a b", "a\0b"])
def test_o_106_what_can_be_no_agent_is_an_error_that_points_to_agents_list(alice: make.Person, wanted: str) -> None:
    make.hub_agent(alice, allow_agents=["*"])
    assert "agents_list" in refused(alice, Invalid, agent_id=wanted)


def test_o_108_an_agent_that_is_allowed_but_not_configured_is_accepted(alice: make.Person) -> None:
    make.hub_agent(alice, allow_agents=["ghost"])
    spawned = acts.spawn(alice, agent_id="ghost")
    assert spawned.run is not None
    assert (spawned.child.agent, spawned.run.runner) == ("ghost", runs.runner_of(make.session(alice, "agent:ghost:main")))


def test_an_agent_that_is_switched_off_takes_no_task(alice: make.Person) -> None:
    make.hub_agent(alice, allow_agents=["*"])
    make.hub_agent(alice, "beta", enabled=False)
    assert "switched off" in refused(alice, Forbidden, agent_id="beta")


def with_models(who: make.Person, *names: str, slug: str = "main", **more: object) -> Agent:
    provider, _ = ModelProvider.objects.get_or_create(
        account=who.account,
        name="house",
        defaults={"base_url": "http://127.0.0.1:9", "model_names": list(names), "created_at": hub_clock.now()},
    )
    return make.hub_agent(who, slug, provider=provider, **more)


def test_o_110_a_model_is_stored_before_the_run_starts_and_is_the_childs(alice: make.Person) -> None:
    with_models(alice, "small", "large", model="small")
    answer = acts.call(alice, make.session(alice), "sessions_spawn", task="count", model="large")
    child = Session.objects.get(key=answer.childSessionKey)
    assert answer.modelApplied is True
    assert (child.model, child.model_override, Run.objects.get(run_id=answer.runId).model) == ("large", "large", "large")


def test_o_111_an_unknown_model_is_an_error_and_nothing_is_made(alice: make.Person) -> None:
    with_models(alice, "small", model="small")
    assert "no such model" in refused(alice, Invalid, model="huge")


@pytest.mark.parametrize(
    ("agent", "account", "expected"),
    [
        pytest.param(
            {"subagent_model": "a", "model": "c"}, {"subagent_model": "b", "default_model": "d"}, "a", id="O-112 agent's"
        ),
        pytest.param({"model": "c"}, {"subagent_model": "b", "default_model": "d"}, "b", id="O-112 account's"),
        pytest.param({"model": "c"}, {"default_model": "d"}, "c", id="O-112 agent's primary"),
        pytest.param({}, {"default_model": "d"}, "d", id="O-112 global"),
        pytest.param({}, {}, "", id="O-112 none"),
    ],
)
def test_without_a_model_the_first_that_is_set_counts(
    alice: make.Person, agent: dict[str, str], account: dict[str, str], expected: str
) -> None:
    make.hub_agent(alice, **agent)
    acts.settings(alice, **account)
    spawned = acts.spawn(alice)
    assert spawned.run is not None and (spawned.run.model, spawned.child.model) == (expected, expected)


@pytest.mark.parametrize(
    ("given", "configured", "expected"),
    [
        pytest.param({"timeoutSeconds": 2}, 0, 2, id="O-114 legacy"),
        pytest.param({"runTimeoutSeconds": 300}, 900, 300, id="O-114 given"),
        pytest.param({}, 900, 900, id="O-114 configured"),
        pytest.param({}, 0, 0, id="O-114 none"),
        pytest.param({"runTimeoutSeconds": 0}, 900, 0, id="O-114 without a limit"),
        pytest.param({"runTimeoutSeconds": 2.9}, 0, 2, id="O-114 a fraction"),
        pytest.param({"runTimeoutSeconds": -5}, 900, 0, id="O-114 below nought"),
        pytest.param({"runTimeoutSeconds": "x"}, 900, 900, id="O-114 no number"),
        pytest.param({"runTimeoutSeconds": True}, 900, 900, id="O-114 a boolean"),
        pytest.param({"runTimeoutSeconds": 1e300}, 0, 604_800, id="O-114 beyond a week"),
        pytest.param({"runTimeoutSeconds": 300, "timeoutSeconds": 2}, 0, 300, id="O-114 both"),
    ],
)
def test_a_time_limit_is_the_callers_else_the_accounts(
    alice: make.Person, given: dict[str, Any], configured: int, expected: int
) -> None:
    acts.settings(alice, subagent_timeout_seconds=configured)
    answer = acts.call(alice, make.session(alice), "sessions_spawn", task="count", **given)
    assert Run.objects.get(run_id=answer.runId).timeout_seconds == expected


@pytest.mark.parametrize(
    ("given", "kept"), [("delete", "delete"), ("keep", "keep"), ("zap", "keep"), (None, "keep"), (7, "keep")]
)
def test_o_116_what_is_no_cleanup_counts_as_keep(alice: make.Person, given: Any, kept: str) -> None:
    acts.call(alice, make.session(alice), "sessions_spawn", task="count", cleanup=given)
    assert Spawn.objects.get().cleanup == kept


@pytest.mark.parametrize("task", ["", "  \n", "a\0b", "x" * 262_145])
def test_a_task_that_cannot_be_kept_makes_nothing(alice: make.Person, task: str) -> None:
    refused(alice, Invalid, task=task)


@pytest.mark.parametrize(
    "more", [{"label": "x" * 65}, {"label": "a\nb"}, {"label": "a\0"}, {"model": "m" * 129}, {"model": "\0"}]
)
def test_a_label_or_a_model_that_cannot_be_kept_makes_nothing(alice: make.Person, more: dict[str, str]) -> None:
    refused(alice, Invalid, **more)


def test_a_label_is_one_living_sessions_and_an_ended_child_gives_it_up(alice: make.Person) -> None:
    first = acts.spawn(alice, label="counter")
    assert "label" in refused(alice, Conflict, label="counter")
    acts.end(first)
    second = acts.spawn(alice, label="counter")
    assert (acts.fresh(first).child.label, second.child.label, acts.fresh(first).label) == ("", "counter", "counter")


def test_a_label_of_another_session_is_not_taken_from_it(alice: make.Person) -> None:
    make.session(alice, "agent:main:other", label="counter")
    refused(alice, Conflict, label="counter")


@pytest.mark.parametrize("by", ["session", "agent"])
def test_the_children_of_a_sandboxed_requester_are_sandboxed(alice: make.Person, by: str) -> None:
    make.hub_agent(alice, allow_agents=["*"], sandboxed=by == "agent")
    make.hub_agent(alice, "beta", sandboxed=False)
    make.hub_agent(alice, "gamma", sandboxed=True)
    main = make.session(alice, sandboxed=by == "session")
    assert acts.spawn(alice, main).child.sandboxed and acts.spawn(alice, main, agent_id="gamma").child.sandboxed
    assert "sandboxed" in refused(alice, Forbidden, main, agent_id="beta")
    assert "sandboxed" in refused(alice, Forbidden, main, agent_id="unconfigured")


def test_a_child_goes_on_in_its_requesters_chain_and_waits_where_that_is_used_up(alice: make.Person) -> None:
    main = make.session(alice)
    chain = Chain.objects.create(account=alice.account, budget=2, created_at=hub_clock.now())
    play.take(runs.begin(alice.actor, main, Asked(message="go", purpose=Run.OWNER), chain=chain))
    assert acts.call(alice, main, "sessions_spawn", task="first").note is None
    answer = acts.call(alice, main, "sessions_spawn", task="second")
    assert "owner was asked" in (answer.note or "") and Run.objects.get(run_id=answer.runId).held == "budget"
    assert set(Run.objects.values_list("chain", flat=True)) == {chain.pk}


def test_nothing_is_spawned_in_a_chain_that_the_owner_ended(alice: make.Person) -> None:
    main = make.session(alice)
    chain = Chain.objects.create(account=alice.account, budget=9, created_at=hub_clock.now())
    play.take(runs.begin(alice.actor, main, Asked(message="go", purpose=Run.OWNER), chain=chain))
    Chain.objects.update(state=Chain.ENDED)
    refused(alice, Conflict, main)


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


def test_o_110_the_child_really_uses_the_model(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from sessions_app.runners import execution
    from sessions_app.values import Outcome

    used: list[str] = []

    class Runner:
        def execute(self, work: Any) -> Outcome:
            used.append(work.model)
            return Outcome(state="ok", reply="42", model=work.model)

    monkeypatch.setattr(execution, "runners", {"model": Runner()})
    with_models(alice, "small", "large", model="small")
    spawned = acts.spawn(alice, model="large")
    assert execution.work(spawned.run_id or 0) and used == ["large"]
    assert acts.fresh(spawned).told == Spawn.TOLD and acts.fresh(spawned).child.model == "large"


def test_a_child_that_a_connected_agent_must_take_is_accepted_with_a_note(alice: make.Person) -> None:
    make.hub_agent(alice, runner="connected")
    assert "connected agent" in acts.call(alice, make.session(alice), "sessions_spawn", task="count").note


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
