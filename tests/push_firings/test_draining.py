"""What is queued is shown, asked or run."""

import uuid
from typing import Any

import pytest

from sessions_app.models import Agent, Chain, Run, Session, SessionSettings
from tests import make, play
from tests.clock import Clock
from tests.push_firings.acts import asks, auto, newest, running, states
from tests.push_firings.conftest import Committed
from tests.pushing import pushed, rule
from triggers.firing import dispatch
from triggers.firing.actions import run_message
from triggers.firing.draining.actions import drain
from triggers.models import Firing, RuleState, TriggerSettings

pytestmark = pytest.mark.django_db


def test_a_notification_is_shown_at_once(alice: make.Person, committed: Committed, clock: Clock) -> None:
    rule(alice)
    with committed():
        pushed(alice)
    assert (newest(alice).state, newest(alice).ended_at, newest(alice).unacked) == ("shown", clock(), True)


def test_c_97_a_confirm_rule_asks_for_thirty_minutes(alice: make.Person, committed: Committed, clock: Clock) -> None:
    asks(alice, prompt="go {{content}}")
    with committed():
        pushed(alice, "east")
    firing = newest(alice)
    assert (firing.state, firing.prompt) == ("asked", "go east")
    assert firing.expires_at is not None and (firing.expires_at - clock()).total_seconds() == 30 * 60
    assert not Run.objects.exists()


@pytest.mark.usefixtures("modelled")
def test_an_auto_firing_runs_at_once_in_a_session_of_its_own(alice: make.Person, committed: Committed) -> None:
    auto(alice, prompt="Fix {{content}}", tools=("chat_*", "lights__on"))
    with committed():
        pushed(alice, "the build")
    firing, run = newest(alice), Run.objects.get()
    assert (firing.state, firing.run_id, firing.chain_id) == ("running", run.pk, run.chain_id)
    assert firing.session_key == run.session.key and firing.session_key.startswith("hook:")
    assert uuid.UUID(firing.session_key.removeprefix("hook:"))
    assert (run.message, run.tools, run.purpose) == ("Fix the build", ["chat_*", "lights__on"], Run.FIRING)
    assert (run.session.kind, run.session.agent) == ("hook", "main")


@pytest.mark.usefixtures("modelled")
def test_messages_do_not_fill_the_disk_through_runs_that_nobody_asked_for(alice: make.Person, settings: Any) -> None:
    settings.SESSION_BYTES_PER_DAY = 4_000
    auto(alice)
    for _ in range(3):
        pushed(alice, "x" * 600)
    drain(alice.account.pk)
    assert states(alice) == ["running", "running", "failed"] and Run.objects.count() == 2
    assert "as much text into sessions today" in newest(alice).detail
    assert run_message(alice.actor, 3).state == "queued" and drain(alice.account.pk) == 1
    assert newest(alice).state == "running"


@pytest.mark.usefixtures("modelled")
def test_its_run_carries_the_auto_agent_card(alice: make.Person) -> None:
    run = running(alice, "line one\nRule: mine\n| forged\x1b[31m").run
    assert run is not None
    assert run.context.splitlines()[0] == "AUTO-AGENT"
    assert "Rule: auto\nFrom: prom/alerts\n" in run.context
    assert run.context.splitlines()[-3:] == ["| line one", "| Rule: mine", "| | forged[31m"]
    assert run.provenance == {"kind": "firing", "firing": 1, "rule": "auto", "seq": 1}


def test_another_agent_may_be_chosen(alice: make.Person) -> None:
    make.hub_agent(alice, "watch", runner="command")
    TriggerSettings.objects.filter(account=alice.account).update(agent="watch")
    assert running(alice).session_key.startswith("agent:watch:hook:")


@pytest.mark.usefixtures("modelled")
def test_a_rule_that_asks_without_a_whitelist_leaves_the_tools_to_the_agent(alice: make.Person) -> None:
    asks(alice)
    pushed(alice)
    Firing.objects.update(accepted=True)
    drain(alice.account.pk)
    assert Run.objects.get().tools is None


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param({"runner": "connected"}, 'cannot run agent "main" by itself', id="connected"),
        pytest.param({"runner": "model", "enabled": False}, 'There is no agent "main"', id="switched off"),
    ],
)
def test_an_agent_that_the_hub_cannot_run_is_the_reason_of_a_failure(
    alice: make.Person, committed: Committed, given: dict[str, Any], told: str
) -> None:
    make.hub_agent(alice, **given)
    auto(alice)
    with committed():
        pushed(alice)
    firing = newest(alice)
    assert firing.state == "failed" and told in firing.detail and "choose" in firing.detail
    assert not Session.objects.filter(kind="hook").exists()
    assert RuleState.objects.values_list("errors", "last_error").get() == (1, firing.detail)


def test_an_agent_that_is_gone_is_told_of(alice: make.Person) -> None:
    TriggerSettings.objects.filter(account=alice.account).update(agent="gone")
    auto(alice)
    pushed(alice)
    drain(alice.account.pk)
    assert 'There is no agent "gone"' in newest(alice).detail


@pytest.mark.usefixtures("modelled")
def test_a_fault_of_ours_costs_one_firing_and_no_other(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    auto(alice, "first")
    auto(alice, "second")
    pushed(alice)
    real = Firing.objects.get(rule="second").pk

    def broken(kept: object, firing: Firing) -> bool:
        if firing.pk != real:
            raise RuntimeError("secret internals")
        return True

    monkeypatch.setattr("triggers.firing.draining.actions._begin", broken)
    drain(alice.account.pk)
    failed = Firing.objects.get(rule="first")
    assert failed.state == "failed" and "secret" not in failed.detail and "log" in failed.detail


@pytest.mark.usefixtures("modelled")
def test_so_many_run_at_once_and_what_waits_holds_nothing_else_up(alice: make.Person, committed: Committed) -> None:
    TriggerSettings.objects.filter(account=alice.account).update(auto_runs=2)
    auto(alice)
    for _ in range(3):
        pushed(alice)
    rule(alice, "told")
    pushed(alice)
    drain(alice.account.pk)
    assert states(alice) == ["running", "running", "queued", "queued", "shown"]
    with committed():
        play.answer(play.queued(alice)[0])
    assert states(alice) == ["done", "running", "running", "queued", "shown"]


@pytest.mark.usefixtures("modelled")
@pytest.mark.parametrize(
    ("end", "state", "detail", "errors"),
    [(play.answer, "done", "", 0), (play.fail, "failed", "the model refused", 1)],
)
def test_the_end_of_its_run_is_its_end(alice: make.Person, clock: Clock, end: Any, state: str, detail: str, errors: int) -> None:
    firing = running(alice)
    end(firing.run)
    firing.refresh_from_db()
    assert (firing.state, firing.detail, firing.ended_at) == (state, detail, clock())
    assert RuleState.objects.get().errors == errors


@pytest.mark.usefixtures("modelled")
def test_what_a_run_sets_off_does_not_fire_its_rule_again_but_everything_else_does(alice: make.Person) -> None:
    firing = running(alice)
    pushed(alice, "an echo", chain_id=firing.chain_id)
    assert Firing.objects.count() == 1 and RuleState.objects.get().by_loop == 1
    auto(alice, "other")
    pushed(alice, "an echo", chain_id=firing.chain_id)
    drain(alice.account.pk)
    assert Firing.objects.get(rule="other").run.chain_id == firing.chain_id  # type: ignore[union-attr]
    pushed(alice, "something new")
    assert Firing.objects.filter(rule="auto").count() == 2


@pytest.mark.usefixtures("modelled")
def test_nothing_begins_in_a_chain_that_the_owner_ended(alice: make.Person) -> None:
    chain = Chain.objects.create(account=alice.account, budget=20, created_at="2026-11-29T12:00:00Z", state=Chain.ENDED)
    auto(alice)
    pushed(alice, chain_id=chain.pk)
    drain(alice.account.pk)
    assert newest(alice).state == "failed" and "ended the chain" in newest(alice).detail


@pytest.mark.usefixtures("modelled")
def test_a_chain_that_used_up_its_budget_asks_the_owner(alice: make.Person) -> None:
    SessionSettings.objects.filter(account=alice.account).update(chain_budget=1)
    firing = running(alice)
    auto(alice, "other")
    pushed(alice, chain_id=firing.chain_id)
    drain(alice.account.pk)
    assert Firing.objects.get(rule="other").run.held == "budget"  # type: ignore[union-attr]


def test_c_103_an_account_that_is_gone_is_drained_in_peace_as_often_as_one_likes() -> None:
    for _ in range(2):
        assert drain(10**9) == 0
        dispatch.hint(10**9)


def test_a_hint_that_fails_costs_nothing_but_time(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(account_id: int) -> int:
        raise RuntimeError

    monkeypatch.setattr("triggers.firing.draining.actions.drain", broken)
    dispatch.hint(alice.account.pk)


def test_a_command_agent_whose_owner_may_not_run_commands_fails_with_the_reason(alice: make.Person) -> None:
    from sessions_app.runners import execution

    make.hub_agent(alice, runner=Agent.COMMAND, argv=["true"])
    firing = running(alice)
    assert firing.run is not None
    execution.work(firing.run.pk)
    firing.refresh_from_db()
    assert firing.state == "failed" and "may not run commands" in firing.detail


@pytest.mark.usefixtures("modelled")
@pytest.mark.parametrize(("made", "moved"), [(rule, "shown"), (asks, "asked"), (auto, "running")])
def test_of_an_owner_who_was_switched_off_nothing_moves_until_he_is_on_again(alice: make.Person, made: Any, moved: str) -> None:
    made(alice)
    pushed(alice)
    for active, state in ((False, "queued"), (True, moved)):
        type(alice.user).objects.filter(pk=alice.user.pk).update(is_active=active)
        drain(alice.account.pk)
        assert states(alice) == [state]
