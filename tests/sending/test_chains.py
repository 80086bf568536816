"""The budget of a chain over any cycle, and what the owner decides on it."""

import pytest

from audit.models import Entry
from core.actor import system
from core.errors import Conflict, DomainError, Forbidden, NotFound
from core.registry import home_cards
from sessions_app.models import Chain, Exchange, Run
from sessions_app.sending.actions import settle
from sessions_app.sending.cards import waiting as cards
from sessions_app.sending.chains import end_chain, extend
from tests import make, play
from tests.sending.cast import answer_all, pair, sent, settings


def over(who: make.Person) -> Chain:
    """A chain whose reply loop has used up its budget of two."""
    settings(who, chain_budget=2)
    requester, target = pair(who)
    sent(who, requester, target)
    answer_all(who, "on we go")
    return Chain.objects.get()


def test_a_run_over_the_budget_is_held_and_the_owner_is_asked_once(alice: make.Person) -> None:
    chain = over(alice)
    held = Run.objects.get(held="budget")
    assert (chain.state, chain.runs_begun, held.state) == ("asked", 2, "queued")
    (card,) = cards(alice.actor)
    assert "agent:main:main" in card.sentence and "2 runs" in card.sentence and str(chain.pk) in card.address
    assert home_cards.get("chains") is cards


def test_what_is_sent_within_a_run_belongs_to_its_chain_over_any_cycle(alice: make.Person) -> None:
    """Two that send to each other for ever, each within its run, without any loop of ours."""
    settings(alice, chain_budget=6, turns=0)
    one, two = pair(alice)
    run = sent(alice, one, two)[1]
    for _ in range(10):
        if run.held:
            break
        held = play.take(run)
        run = sent(alice, held.session, one if held.session == two else two, "again")[1]
        play.answer(held, "NO_REPLY")
    assert run.held == "budget" and Chain.objects.count() == 1
    assert Run.objects.exclude(state="queued").count() == 6


def test_the_owner_lets_it_go_on_for_as_many_runs_again(alice: make.Person) -> None:
    chain = extend(alice.actor, over(alice))
    assert (chain.state, chain.budget) == ("open", 4)
    answer_all(alice, "on we go")
    chain.refresh_from_db()
    assert (chain.state, chain.runs_begun) == ("asked", 4)
    assert Entry.objects.filter(deed="chain.extended").count() == 1


def test_held_runs_beyond_the_new_budget_stay_held(alice: make.Person) -> None:
    settings(alice, chain_budget=1)
    requester, target = pair(alice)
    held = play.take(sent(alice, requester, target)[1])
    others = [make.session(alice, f"node-{name}") for name in "abc"]
    for other in others:
        sent(alice, target, other)
    play.answer(held, "NO_REPLY")
    chain = extend(alice.actor, Chain.objects.get())
    assert chain.state == "asked" and [each.session for each in play.queued(alice)] == [others[0]]


def test_the_owner_ends_it_and_nothing_more_starts(alice: make.Person) -> None:
    chain = end_chain(alice.actor, over(alice))
    assert chain.state == "ended" and not play.queued(alice) and cards(alice.actor) == []
    assert not Run.objects.filter(state__in=Run.ACTIVE).exists()
    assert Exchange.objects.get().step == "done"
    assert Entry.objects.filter(deed="chain.ended").count() == 1


def test_within_a_chain_that_ended_an_agent_sends_nothing_more(alice: make.Person) -> None:
    requester, target = pair(alice)
    held = play.take(sent(alice, requester, target)[1])
    end_chain(alice.actor, Chain.objects.get())
    with pytest.raises(Conflict, match="ended this chain"):
        sent(alice, target, requester)
    play.answer(held, "too late")
    assert not play.queued(alice) and Exchange.objects.get().step == "done"


def test_who_waits_for_a_run_of_the_chain_is_told_that_it_was_ended(alice: make.Person) -> None:
    requester, target = pair(alice)
    exchange, _ = sent(alice, requester, target, waits=True)
    end_chain(alice.actor, Chain.objects.get())
    answer = settle(make.in_session(alice, requester), exchange.pk)
    assert answer.status == "error" and "owner ended" in (answer.error or "")


def test_a_held_run_whose_requester_would_wait_holds_nobody(alice: make.Person) -> None:
    settings(alice, chain_budget=0)
    requester, target = pair(alice)
    exchange, run = sent(alice, requester, target, waits=True)
    exchange.refresh_from_db()
    assert run.held == "budget" and exchange.waits_until is None


@pytest.mark.parametrize("deed", [extend, end_chain])
def test_only_its_owner_decides_and_once(alice: make.Person, charlie: make.Person, deed: object) -> None:
    chain = over(alice)
    decide: object = deed
    for actor, refusal in (
        (charlie.actor, NotFound),
        (make.agent(alice), Forbidden),
        (make.agent(charlie), DomainError),
        (system(), Forbidden),
    ):
        with pytest.raises(refusal):
            decide(actor, chain)  # type: ignore[operator]
    decide(alice.actor, chain)  # type: ignore[operator]
    with pytest.raises(Conflict):
        decide(alice.actor, chain)  # type: ignore[operator]


def test_charlie_sees_no_card_of_alices(alice: make.Person, charlie: make.Person) -> None:
    over(alice)
    assert cards(charlie.actor) == []
