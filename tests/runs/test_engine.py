"""A run from its beginning to its end, by hand."""

import pytest

from core import clock
from core.actor import system
from core.errors import Gone, Invalid
from sessions_app.models import Chain, Entry, Run
from sessions_app.runs import actions, sweeping
from sessions_app.runs.recovering.actions import LOST
from sessions_app.values import Asked, Outcome
from tests import make, play
from tests.clock import Clock


def begin(who: make.Person, message: str = "hello", **more: object) -> Run:
    return actions.begin(who.actor, make.session(who), Asked(message=message, purpose=Run.OWNER), **more)  # type: ignore[arg-type]


def test_a_run_is_asked_for_taken_and_answered(alice: make.Person) -> None:
    make.hub_agent(alice)
    run = play.answer(begin(alice), "hi")
    assert (run.state, run.reply) == (Run.OK, "hi")
    assert [each.message["content"] for each in Entry.objects.order_by("seq")] == ["hello", "hi"]


def test_one_session_runs_one_at_a_time_in_the_order_asked(alice: make.Person) -> None:
    make.hub_agent(alice)
    first, second = begin(alice), begin(alice)
    assert actions.claim(second.pk, worker="w") is None
    held = play.take(first)
    assert actions.claim(second.pk, worker="w") is None
    play.answer(held)
    assert actions.claim(second.pk, worker="w") is not None


def test_only_the_claim_in_force_ends_it_and_once(alice: make.Person) -> None:
    make.hub_agent(alice)
    held = play.take(begin(alice))
    play.answer(held)
    with pytest.raises(Gone):
        actions.finish(system(), held.pk, held.lease, Outcome(state="ok", reply="again"))
    assert Entry.objects.filter(role="assistant").count() == 1


def test_a_worker_that_died_leads_to_one_more_attempt_then_to_an_error_with_its_reason(alice: make.Person, clock: Clock) -> None:
    make.hub_agent(alice)
    run = begin(alice)
    for _ in range(2):
        play.take(run)
        clock.forward(seconds=31)
        assert sweeping.recover(system()) == 1
    run.refresh_from_db()
    assert run.state == Run.ERROR and run.error == LOST
    assert Entry.objects.filter(role="user").count() == 1


def test_a_chain_over_its_budget_is_held_until_the_owner_decides(alice: make.Person) -> None:
    make.hub_agent(alice)
    chain = Chain.objects.create(account=alice.account, budget=1, created_at=clock.now())
    begin(alice, chain=chain)
    held = begin(alice, chain=chain)
    chain.refresh_from_db()
    assert held.held == "budget" and chain.state == Chain.ASKED and chain.runs_begun == 1


@pytest.mark.parametrize("message", ["", "  \n", "a\0b", "x" * 262_145])
def test_a_message_that_cannot_be_kept_is_refused(alice: make.Person, message: str) -> None:
    with pytest.raises(Invalid):
        begin(alice, message)
    assert not Run.objects.exists()
