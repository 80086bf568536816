"""Whose doing a push is: what comes while a run calls the server's tool belongs to the run's chain."""

from datetime import timedelta

from tests import make
from tests.clock import Clock
from tests.pushing import arrival, server
from triggers.listening.echoes import LONGEST_CALL, SOON, marked
from triggers.models import PushServer, ToolCall


def called(who: make.Person, held: PushServer, began: float, ended: float | None, clock: Clock) -> int:
    """A call of a run, by seconds from now; its chain."""
    from sessions_app.models import Run
    from sessions_app.runs.actions import begin
    from sessions_app.values import Asked

    run = begin(who.actor, make.session(who), Asked(message="hello", purpose=Run.TRIAL, provenance={"kind": "owner"}))
    at = clock.moment + timedelta(seconds=began)
    ToolCall.objects.create(
        account=who.account, server=held, run=run, chain=run.chain, began_at=at,
        ended_at=None if ended is None else clock.moment + timedelta(seconds=ended),
    )  # fmt: skip
    return int(run.chain_id)


def chain_of(held: PushServer, clock: Clock, seconds: float) -> int | None:
    return marked(held.pk, [arrival(received_at=clock.moment + timedelta(seconds=seconds))])[0].chain_id


def test_what_comes_during_a_call_and_soon_after_belongs_to_it(alice: make.Person, clock: Clock) -> None:
    held = server(alice)
    chain = called(alice, held, 0, 5, clock)
    after = 5 + SOON.total_seconds()
    assert [chain_of(held, clock, at) for at in (-1, 0, 3, after - 1, after)] == [None, chain, chain, chain, None]


def test_a_call_under_way_holds_what_comes_but_not_for_ever(alice: make.Person, clock: Clock) -> None:
    held = server(alice)
    chain = called(alice, held, 0, None, clock)
    assert chain_of(held, clock, 100) == chain
    assert chain_of(held, clock, LONGEST_CALL.total_seconds() + SOON.total_seconds()) is None


def test_another_server_is_no_echo(alice: make.Person, clock: Clock) -> None:
    called(alice, server(alice, "one"), 0, 5, clock)
    assert chain_of(server(alice, "two"), clock, 1) is None


def test_the_newest_call_wins(alice: make.Person, clock: Clock) -> None:
    held = server(alice)
    called(alice, held, 0, 20, clock)
    newest = called(alice, held, 5, 20, clock)
    assert chain_of(held, clock, 6) == newest
