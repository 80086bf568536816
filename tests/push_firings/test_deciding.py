"""What the owner decides about firings."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from audit.models import Entry
from core.actor import Actor
from core.errors import Conflict, Forbidden, Invalid, NotFound
from sessions_app.models import Run
from tests import make, play
from tests.clock import Clock
from tests.push_firings.acts import asked, asks, auto, newest, running, states
from tests.push_firings.conftest import Committed
from tests.pushing import push_many, pushed, rule
from triggers.firing import actions, reading
from triggers.firing.draining.actions import drain
from triggers.inbox.actions import ack
from triggers.models import Firing, PushMessage

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("modelled")]


def numbers(who: make.Person) -> list[int]:
    return [each.number for each in reading.asked(who.actor)]


@pytest.mark.parametrize("word", ["", "y", "yes", " YES "])
def test_c_97_an_accepted_question_runs(alice: make.Person, committed: Committed, word: str) -> None:
    firing = asked(alice, "east")
    with committed():
        actions.confirm(alice.actor, firing.number, word)
    firing.refresh_from_db()
    assert (firing.state, firing.accepted, firing.run.message) == ("running", True, "go east")  # type: ignore[union-attr]
    assert firing.run.context.startswith("AUTO-AGENT")  # type: ignore[union-attr]


@pytest.mark.parametrize("word", ["n", "no", "deny"])
def test_c_111_a_denied_question_is_gone_and_nothing_runs(alice: make.Person, committed: Committed, word: str) -> None:
    firing = asked(alice)
    with committed():
        actions.confirm(alice.actor, firing.number, word)
    assert states(alice) == ["declined"] and numbers(alice) == [] and not Run.objects.exists()


def test_c_113_a_question_is_answered_once(alice: make.Person, committed: Committed) -> None:
    firing = asked(alice)
    for _ in range(2):
        with committed():
            try:
                actions.confirm(alice.actor, firing.number, "yes")
            except NotFound as refusal:
                again = refusal
    with pytest.raises(NotFound) as unknown:
        actions.confirm(alice.actor, 999, "yes")
    assert Run.objects.count() == 1 and again.detail == unknown.value.detail


@pytest.mark.parametrize("word", ["nope", "ja", "yess", "0", "true"])
def test_c_114_another_word_is_a_usage_error_and_the_question_stays(alice: make.Person, word: str) -> None:
    firing = asked(alice)
    with pytest.raises(Invalid) as refusal:
        actions.confirm(alice.actor, firing.number, word)
    assert refusal.value.code == "usage" and numbers(alice) == [firing.number] and not Run.objects.exists()


def test_c_115_a_question_is_open_for_thirty_minutes(alice: make.Person, clock: Clock) -> None:
    early, late = asked(alice), asked(alice)
    clock.forward(minutes=29, seconds=59)
    actions.confirm(alice.actor, early.number)
    clock.forward(seconds=2)
    assert numbers(alice) == []
    with pytest.raises(NotFound):
        actions.confirm(alice.actor, late.number)
    assert late.number not in {each.number for each in reading.unacked(alice.actor)}


def test_c_110_an_acknowledgement_keeps_what_asks(alice: make.Person, committed: Committed) -> None:
    asks(alice, channel="other")
    rule(alice, "told", channel="alerts")
    with committed():
        pushed(alice, channel="other")
        ack(alice.actor)
        push_many(alice, 3)
    done = ack(alice.actor)
    assert (done.messages, done.firings) == (3, 3)
    assert PushMessage.objects.filter(unread=True).count() == 0 and PushMessage.objects.filter(cleared=False).count() == 4
    assert numbers(alice) == [1] and [each.number for each in reading.unacked(alice.actor)] == [1]


def test_c_81_what_comes_while_paused_fires_nothing_and_afterwards_all_is_as_before(alice: make.Person) -> None:
    rule(alice)
    assert actions.pause(alice.actor) and not actions.pause(alice.actor)
    pushed(alice)
    assert actions.resume(alice.actor) and not actions.resume(alice.actor)
    assert not Firing.objects.exists()
    pushed(alice)
    assert Firing.objects.count() == 1


def test_c_82_what_is_queued_is_held_by_a_pause_and_goes_on_after_it(alice: make.Person, committed: Committed) -> None:
    auto(alice)
    pushed(alice)
    actions.pause(alice.actor)
    assert drain(alice.account.pk) == 0 and states(alice) == ["queued"]
    with committed():
        actions.resume(alice.actor)
    assert states(alice) == ["running"]


def test_a_question_that_a_pause_held_is_asked_in_full(alice: make.Person, committed: Committed, clock: Clock) -> None:
    asks(alice)
    pushed(alice)
    actions.pause(alice.actor)
    clock.forward(hours=2)
    with committed():
        actions.resume(alice.actor)
    assert newest(alice).expires_at == clock() + timedelta(minutes=30)


def test_an_answer_during_a_pause_counts_and_its_run_waits(alice: make.Person, committed: Committed) -> None:
    firing = asked(alice)
    actions.pause(alice.actor)
    with committed():
        actions.confirm(alice.actor, firing.number)
    assert states(alice) == ["queued"]
    with committed():
        actions.resume(alice.actor)
    assert states(alice) == ["running"]


def test_c_117_a_message_is_run_by_hand_with_the_default_prompt(alice: make.Person, committed: Committed) -> None:
    message = pushed(alice, "look here")
    with committed():
        actions.run_message(alice.actor, message.seq)
    firing = newest(alice)
    assert (firing.rule, firing.by_hand, firing.state, firing.unacked) == ("manual", True, "running", False)
    run = firing.run
    assert run is not None and run.message == "A push message came from prom/alerts:\n\nlook here" and run.tools is None
    assert "Rule: manual\nFrom: prom/alerts" in run.context


def test_c_116_a_message_that_is_unknown_cleared_or_gone_from_the_list_is_not_run(
    alice: make.Person, charlie: make.Person, settings: Any
) -> None:
    settings.PUSH_RING_MESSAGES = 3
    push_many(alice, 4)
    PushMessage.objects.filter(seq=3).update(cleared=True)
    pushed(alice)
    for actor, seq in ((alice.actor, 99), (alice.actor, 3), (alice.actor, 1), (charlie.actor, 4)):
        with pytest.raises(NotFound) as refusal:
            actions.run_message(actor, seq)
        assert refusal.value.detail == "There is no such message in the list; look at the list again."
    assert actions.run_message(alice.actor, 2).seq == 2 and Firing.objects.count() == 1


def test_a_full_queue_takes_no_message_by_hand(alice: make.Person) -> None:
    rule(alice)
    push_many(alice, 64)
    with pytest.raises(Conflict):
        actions.run_message(alice.actor, 1)


def test_a_run_is_stopped_at_once_while_it_waits(alice: make.Person, committed: Committed) -> None:
    firing = running(alice)
    with committed():
        told = actions.stop(alice.actor, firing.number)
    run = Run.objects.get()
    assert (told.state, run.state, run.error) == ("stopped", "stopped", "The owner stopped it.")


def test_a_run_that_a_worker_has_is_asked_to_stop(alice: make.Person) -> None:
    firing = running(alice)
    assert firing.run is not None
    play.take(firing.run)
    actions.stop(alice.actor, firing.number)
    firing.run.refresh_from_db()
    assert firing.run.stop_asked_at is not None and states(alice) == ["running"]


def test_what_is_queued_is_stopped_and_what_has_ended_is_not(alice: make.Person) -> None:
    auto(alice)
    pushed(alice)
    actions.stop(alice.actor, 1)
    assert states(alice) == ["stopped"] and drain(alice.account.pk) == 0
    with pytest.raises(Conflict):
        actions.stop(alice.actor, 1)


def test_a_question_is_not_stopped_but_answered(alice: make.Person) -> None:
    firing = asked(alice)
    with pytest.raises(Conflict, match="say no"):
        actions.stop(alice.actor, firing.number)
    assert states(alice) == ["asked"]


def test_all_of_it_stands_in_the_log(alice: make.Person) -> None:
    actions.confirm(alice.actor, asked(alice).number, "yes")
    actions.confirm(alice.actor, asked(alice).number, "no")
    actions.pause(alice.actor)
    actions.run_message(alice.actor, 1)
    actions.stop(alice.actor, newest(alice).number)
    actions.resume(alice.actor)
    told = list(Entry.objects.filter(deed__regex="^(firing|message)").order_by("pk").values_list("deed", "target", "who", "door"))
    assert [deed for deed, *_rest in told] == [
        "firing.accepted", "firing.declined", "firings.paused", "message.run", "firing.stopped", "firings.resumed",
    ]  # fmt: skip
    assert told[0][1:] == ("firing:1", "alice@example.org", "page")
    assert "go it" not in str(list(Entry.objects.values_list("details", flat=True)))


DEEDS: list[Callable[[Actor], object]] = [
    lambda actor: actions.confirm(actor, 1, "yes"),
    lambda actor: actions.run_message(actor, 1),
    lambda actor: actions.stop(actor, 1),
    lambda actor: actions.pause(actor),
    lambda actor: actions.resume(actor),
    reading.asked,
    reading.listed,
    reading.unacked,
    lambda actor: reading.one(actor, 1),
]


@pytest.mark.parametrize("deed", DEEDS)
def test_c_131_an_agent_decides_nothing_and_sees_no_firing(alice: make.Person, deed: Callable[[Actor], object]) -> None:
    asked(alice)
    with pytest.raises(Forbidden):
        deed(make.agent(alice))
    assert states(alice) == ["asked"] and not Firing.objects.visible_to(make.agent(alice)).exists()


def test_charlie_gets_for_what_is_alices_the_answer_for_what_is_not_there(alice: make.Person, charlie: make.Person) -> None:
    asked(alice)
    for deed in DEEDS[:3]:
        said = []
        for number in ("there", "not there"):
            if number == "not there":
                Firing.objects.all().delete()
                PushMessage.objects.all().delete()
            with pytest.raises(NotFound) as refusal:
                deed(charlie.actor)
            said.append(refusal.value.detail)
        assert said[0] == said[1]
    assert reading.one(charlie.actor, 1) is None and reading.listed(charlie.actor) == []


def test_charlies_pause_is_his_own(alice: make.Person, charlie: make.Person) -> None:
    rule(alice)
    actions.pause(charlie.actor)
    pushed(alice)
    assert Firing.objects.count() == 1
