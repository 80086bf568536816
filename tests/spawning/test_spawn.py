"""Beginning a sub-agent: what becomes of what was asked for."""

import re
from typing import Any

import pytest

from core import clock as hub_clock
from core.errors import Conflict, Invalid
from sessions_app.models import Agent, Chain, ModelProvider, Run, Session, Spawn
from sessions_app.runs import actions as runs
from sessions_app.values import Asked
from tests import make, play
from tests.spawning import acts

pytestmark = pytest.mark.usefixtures("hub_runs_main")
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"


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
    assert "no such model" in acts.refused(alice, Invalid, model="huge")


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
    acts.refused(alice, Invalid, task=task)


@pytest.mark.parametrize(
    "more", [{"label": "x" * 65}, {"label": "a\nb"}, {"label": "a\0"}, {"model": "m" * 129}, {"model": "\0"}]
)
def test_a_label_or_a_model_that_cannot_be_kept_makes_nothing(alice: make.Person, more: dict[str, str]) -> None:
    acts.refused(alice, Invalid, **more)


def test_a_label_is_one_living_sessions_and_an_ended_child_gives_it_up(alice: make.Person) -> None:
    first = acts.spawn(alice, label="counter")
    assert "label" in acts.refused(alice, Conflict, label="counter")
    acts.end(first)
    second = acts.spawn(alice, label="counter")
    assert (acts.fresh(first).child.label, second.child.label, acts.fresh(first).label) == ("", "counter", "counter")


def test_a_label_of_another_session_is_not_taken_from_it(alice: make.Person) -> None:
    make.session(alice, "agent:main:other", label="counter")
    acts.refused(alice, Conflict, label="counter")


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
    acts.refused(alice, Conflict, main)


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
