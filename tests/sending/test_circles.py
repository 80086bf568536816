"""Who would wait for somebody who waits for him is told at once."""

import pytest

from core.errors import Conflict
from sessions_app.models import Exchange, Run
from sessions_app.sending.waiting import wait
from tests import make, play
from tests.asgi import run
from tests.sending.cast import GROUP, LONG, MAIN, sent, waiting


def test_two_that_would_wait_for_each_other_are_told_at_once(alice: make.Person) -> None:
    requester, target, message = waiting(alice)
    play.take(Run.objects.get(pk=message.run))
    with pytest.raises(Conflict) as refusal:
        sent(alice, target, requester, waits=True)
    assert refusal.value.code == "wait_circle"
    assert f"{MAIN} waits for {GROUP}" in refusal.value.detail and "timeoutSeconds 0" in refusal.value.detail
    assert sent(alice, target, requester)[1].state == Run.QUEUED


def test_a_circle_of_three_is_told_and_a_line_of_three_is_none(alice: make.Person) -> None:
    one, two, _ = waiting(alice)
    three = make.session(alice, "agent:main:discord:channel:c3")
    sent(alice, two, three, waits=True)
    with pytest.raises(Conflict, match=f"{one.key} waits for {two.key}, {two.key} waits for {three.key}"):
        sent(alice, three, one, waits=True)
    assert sent(alice, three, make.session(alice, "cron:x"), waits=True)


def test_an_agent_that_took_a_run_of_another_session_closes_the_circle_too(alice: make.Person) -> None:
    """The requester waits for main, whose run a connected agent took; that agent would wait for the requester."""
    from sessions_app.connected.reading import holder
    from sessions_app.finding.actions import own_session
    from sessions_app.runs import actions
    from sessions_app.sending.actions import send

    agent = make.agent(alice)
    own, main, asking = own_session(agent), make.session(alice), make.session(alice, GROUP)
    exchange, begun = sent(alice, asking, main, waits=True)
    assert actions.claim(begun.pk, worker=holder(agent, own.pk))
    with pytest.raises(Conflict, match=f"{asking.key} waits for {main.key}"):
        send(agent, requester=own, target=asking, message="you?", waits=True)
    back, within = send(agent, requester=own, target=asking, message="by the way", waits=False)
    assert back.silent and within.chain_id == begun.chain_id and exchange.chain_id == begun.chain_id


def test_a_wait_that_ended_makes_no_circle(alice: make.Person) -> None:
    requester, target, message = waiting(alice)
    play.answer(Run.objects.get(pk=message.run), "seven")
    assert sent(alice, target, requester, waits=True)


def test_two_calls_that_did_not_see_each_other_begin_are_told_at_once_too(alice: make.Person) -> None:
    requester, target, message = waiting(alice)
    back = sent(alice, target, requester)[0]
    Exchange.objects.filter(pk=back.pk).update(waits_until=Exchange.objects.get(pk=message.exchange).waits_until)
    answer = run(wait(make.in_session(alice, requester), message, LONG))
    assert answer.status == "timeout" and answer.note is not None and "would never end" in answer.note
