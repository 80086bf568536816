"""A call that waits for the answer: on the server, once, whatever breaks off."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from accounts.actions import revoke_connection
from core.actor import Actor, system
from core.errors import Unauthenticated
from core.news import net
from sessions_app.models import Exchange, Run
from sessions_app.sending import sweeping
from sessions_app.sending.actions import abandon, let_go, settle
from sessions_app.sending.reading import in_a_circle
from sessions_app.sending.values import Answered, Sent
from sessions_app.sending.waiting import wait
from tests import make, play
from tests.asgi import run, sync, until
from tests.clock import Clock
from tests.sending.cast import GROUP, LONG, MAIN, answer_all, purposes, sent, settings, waiting


def first(who: make.Person) -> Run:
    return play.queued(who, "send")[0]


async def begun_to_wait(actor: Actor, message: Sent) -> "asyncio.Task[Answered]":
    """A call that has looked, found that the run is not over, and holds."""
    looked: list[int] = []

    def looks(exchange: int) -> Any:
        looked.append(exchange)
        return in_a_circle(exchange)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sessions_app.sending.waiting.in_a_circle", looks)
        task = asyncio.ensure_future(wait(actor, message, LONG))
        await until(lambda: looked or task.done())
    assert not task.done()
    return task


async def while_waiting(actor: Actor, message: Sent, deed: Callable[[], Any]) -> Answered:
    """Begin to wait, do the deed, and answer what the wait answers."""
    task = await begun_to_wait(actor, message)
    sync(deed)
    return await task


@pytest.mark.django_db(transaction=True)
def test_o_45_the_answer_ends_the_wait(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    actor = make.in_session(alice, requester)
    answer = run(while_waiting(actor, message, lambda: play.answer(first(alice), "seven")))
    assert (answer.status, answer.reply, answer.announces) == ("ok", "seven", True)


def test_o_45_an_answer_that_is_there_already_needs_no_hint(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    play.answer(first(alice), "seven")
    assert run(wait(make.in_session(alice, requester), message, LONG)).reply == "seven"


def test_o_66_what_the_call_answered_is_not_given_again(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    play.answer(first(alice), "seven")
    assert play.queued(alice) == []  # nothing follows before the call has fetched it
    settle(make.in_session(alice, requester), message.exchange)
    (step,) = play.queued(alice)
    assert (step.purpose, step.session) == ("reply", requester)
    assert "seven" not in step.message + step.context and message.run_id in step.message


def test_o_66_without_turns_nothing_at_all_comes_to_the_requester(alice: make.Person) -> None:
    settings(alice, turns=0)
    requester, _, message = waiting(alice)
    play.answer(first(alice), "seven")
    settle(make.in_session(alice, requester), message.exchange)
    answer_all(alice, "They are seven.")
    assert purposes(alice) == [("send", GROUP), ("announce", GROUP)]


def test_o_47_after_a_timeout_the_run_goes_on_and_its_reply_comes_once(alice: make.Person) -> None:
    requester, target, message = waiting(alice)
    answer = run(wait(make.in_session(alice, requester), message, 0.01))
    assert (answer.status, answer.reply) == ("timeout", None)
    assert first(alice).state == Run.QUEUED
    play.answer(first(alice), "seven")
    (step,) = play.queued(alice)
    assert (step.session, step.message) == (requester, "seven")
    assert target.entries.filter(role="assistant").last().message["content"] == "seven"
    assert Run.objects.filter(session=requester).count() == 1


def test_o_48_a_run_that_fails_is_an_error_with_its_cause(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    play.fail(first(alice), "unknown model")
    answer = run(wait(make.in_session(alice, requester), message, LONG))
    assert (answer.status, answer.error, answer.announces) == ("error", "unknown model", False)
    assert play.queued(alice) == [] and Exchange.objects.get().step == "done"


def test_a_failure_after_the_time_was_up_is_told_by_a_run(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    run(wait(make.in_session(alice, requester), message, 0.01))
    play.fail(first(alice), "unknown model")
    assert "unknown model" in play.queued(alice, "late")[0].message


def test_an_answer_in_the_moment_the_time_is_up_is_given_inline_or_late_but_once(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    actor = make.in_session(alice, requester)
    play.answer(first(alice), "seven")
    assert let_go(actor, message.exchange)
    assert settle(actor, message.exchange).status == "timeout"
    assert not let_go(actor, message.exchange)
    assert [each.message for each in play.queued(alice)] == ["seven"]


def test_a_wait_that_outlived_its_process_is_ended_by_the_sweep(alice: make.Person, clock: Clock) -> None:
    requester, _, message = waiting(alice, seconds=30)
    play.answer(first(alice), "seven")
    assert sweeping.end_waits(system()) == 0
    clock.forward(seconds=36)
    assert sweeping.end_waits(system()) == 1
    assert [(each.session, each.message) for each in play.queued(alice)] == [(requester, "seven")]
    assert settle(make.in_session(alice, requester), message.exchange).status == "timeout"


def test_an_answer_after_the_time_of_a_dead_process_needs_no_sweep(alice: make.Person, clock: Clock) -> None:
    waiting(alice, seconds=30)
    clock.forward(seconds=31)
    play.answer(first(alice), "seven")
    assert [each.message for each in play.queued(alice)] == ["seven"]


@pytest.mark.django_db(transaction=True)
def test_a_client_that_is_gone_before_the_answer_is_told_by_a_run_once(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    actor = make.in_session(alice, requester)

    async def story() -> None:
        task = await begun_to_wait(actor, message)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: sync(lambda: Exchange.objects.get().waits_until) is None)

    run(story())
    assert Exchange.objects.get().waits_until is None
    play.answer(first(alice), "seven")
    assert [each.message for each in play.queued(alice)] == ["seven"]


def test_an_answer_that_was_fetched_and_lost_is_brought_again_once(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    actor = make.in_session(alice, requester)
    play.answer(first(alice), "seven")
    settle(actor, message.exchange)
    abandon(actor, message.exchange)
    abandon(actor, message.exchange)
    (late,) = play.queued(alice, "late")
    assert late.session == requester and "seven" in late.message


@pytest.mark.django_db(transaction=True)
def test_a_wait_ends_with_the_connection_and_the_reply_comes_late(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    actor = make.in_session(alice, requester)
    with pytest.raises(Unauthenticated):
        run(while_waiting(actor, message, lambda: revoke_connection(alice.actor, connection_id=actor.connection_id)))
    play.answer(first(alice), "seven")
    assert [each.message for each in play.queued(alice)] == ["seven"]


def test_a_lost_hint_costs_a_look_of_the_net_and_never_the_reply(alice: make.Person) -> None:
    """Within one test transaction no hint is ever sent: on_commit never runs."""
    requester, _, message = waiting(alice)
    actor = make.in_session(alice, requester)

    async def story() -> Answered:
        task = await begun_to_wait(actor, message)
        await net.mend_once()
        sync(lambda: play.answer(first(alice), "seven"))
        await asyncio.sleep(0)
        assert not task.done()
        assert await net.mend_once()
        return await task

    assert run(story()).reply == "seven"


@pytest.mark.django_db(transaction=True)
def test_a_wait_is_ended_by_a_run_that_another_thread_finished(alice: make.Person, threaded: None) -> None:
    """Real threads, the agent's door, and a worker with a connection of its own."""
    from django.db import connection

    requester, _, message = waiting(alice)
    actor = make.in_session(alice, requester)

    def worker() -> None:
        try:
            play.answer(first(alice), "seven")
        finally:
            connection.close()

    async def story() -> Answered:
        task = await begun_to_wait(actor, message)
        await asyncio.to_thread(worker)
        return await task

    assert run(story()).reply == "seven"
    assert purposes(alice) == [("send", GROUP), ("reply", MAIN)]


@pytest.mark.django_db(transaction=True)
def test_a_client_that_is_gone_lets_go_through_the_agent_s_door(alice: make.Person, threaded: None) -> None:
    requester, _, message = waiting(alice)
    play.answer(first(alice), "seven")
    actor = make.in_session(alice, requester)

    async def story() -> None:
        task = asyncio.ensure_future(wait(actor, message, LONG))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run(story())
    settle(system(), message.exchange)
    assert Run.objects.filter(session=requester).count() <= 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ends_by", ["settle", "let_go"])
def test_an_end_and_the_end_of_its_wait_in_one_moment_make_one_reply(alice: make.Person, ends_by: str) -> None:
    """Two processes at once: the worker that ends the run, and the call whose time is up."""
    import threading

    from django.db import connection

    requester, _, _ = waiting(alice)
    actor = make.in_session(alice, requester)
    play.answer(first(alice), "REPLY_SKIP")
    inline = later = 0
    for _ in range(6):
        exchange, begun = sent(alice, requester, make.session(alice, "node-b"), waits=True)
        held, gate, answers = play.take(begun), threading.Barrier(2), []

        def at_once(deed: Callable[[], Any], gate: threading.Barrier = gate) -> None:
            gate.wait(5)
            try:
                deed()
            finally:
                connection.close()

        def end(pk: int = exchange.pk, answers: list[Any] = answers) -> None:
            answers.append(settle(actor, pk) if ends_by == "settle" else let_go(actor, pk))

        both = [
            threading.Thread(target=at_once, args=(lambda held=held: play.answer(held, "seven"),)),
            threading.Thread(target=at_once, args=(end,)),
        ]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join(20)
        given = ends_by == "settle" and answers[0].status == "ok"
        (step,) = Run.objects.filter(exchange=exchange, purpose=Run.REPLY)
        assert (step.message == "seven") is not given
        inline, later = inline + given, later + (not given)
        play.answer(step, "NO_REPLY")
    assert inline + later == 6


def test_a_reply_that_is_very_long_is_cut_in_the_answer_of_a_call(alice: make.Person) -> None:
    requester, _, message = waiting(alice)
    play.answer(first(alice), "ä" * 100_000)
    answer = settle(make.in_session(alice, requester), message.exchange)
    assert answer.reply is not None and len(answer.reply.encode()) < 66_000 and "history" in answer.reply
