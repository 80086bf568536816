"""A schedule fires: once a time, whatever beat does, into a transcript of its own."""

from datetime import timedelta

import pytest

from core.actor import system
from sessions_app.models import Entry, Run, Schedule, Session
from sessions_app.scheduling import sweeping
from sessions_app.scheduling.tasks import fire
from tests import make, play
from tests.clock import Clock
from tests.schedules.saving import forward_to, save, task_of

pytestmark = pytest.mark.usefixtures("hub_runs_main")


def test_a_firing_is_a_run_in_the_session_of_the_schedule(alice: make.Person, clock: Clock) -> None:
    held = save(alice, deliver=True)
    forward_to(clock, held)
    fire(held.pk)
    run = Run.objects.get()
    assert (run.session.key, run.session.kind) == ("agent:main:cron:nightly", "cron")
    assert (run.message, run.purpose, run.lane, run.deliver) == ("Summarise the day.", "schedule", "cron", True)
    held.refresh_from_db()
    assert (held.last_run_at, held.next_at) == (clock(), clock() + timedelta(days=1))


@pytest.mark.parametrize("seconds", [-60, -6])
def test_a_hint_before_the_time_fires_nothing(alice: make.Person, clock: Clock, seconds: int) -> None:
    held = save(alice)
    forward_to(clock, held)
    clock.forward(seconds=seconds)
    fire(held.pk)
    assert not Run.objects.exists()


def test_a_beat_whose_clock_is_a_little_ahead_is_heeded_once(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    forward_to(clock, held)
    clock.forward(seconds=-2)
    fire(held.pk)
    clock.forward(seconds=2)
    fire(held.pk)
    assert Run.objects.count() == 1


def test_a_hint_that_comes_twice_fires_once(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    forward_to(clock, held)
    for _ in range(3):
        fire(held.pk)
    sweeping.fire_missed(system())
    assert Run.objects.count() == 1


def test_what_was_missed_for_days_fires_once(alice: make.Person, clock: Clock) -> None:
    held = save(alice, crontab="*/5 * * * *")
    clock.forward(days=3, minutes=2)
    assert sweeping.fire_missed(system()) == 1
    fire(held.pk)
    assert Run.objects.count() == 1


def test_a_hint_that_was_lost_is_made_good_within_two_minutes(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    forward_to(clock, held)
    assert sweeping.fire_missed(system()) == 0, "beat's own hint is on its way"
    clock.forward(seconds=60)
    assert sweeping.fire_missed(system()) == 1
    assert Run.objects.get().session.key == "agent:main:cron:nightly"


def test_o_33_each_firing_begins_a_new_transcript(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    seen = []
    for said in ("first", "second"):
        forward_to(clock, held)
        fire(held.pk)
        play.answer(play.queued(alice)[0], said)
        session = Session.objects.get(kind="cron")
        now = Entry.objects.filter(session=session, session_id_kept=session.session_id)
        seen.append([each.message["content"] for each in now.order_by("seq")])
    assert seen == [["Summarise the day.", "first"], ["Summarise the day.", "second"]]
    assert Session.objects.filter(kind="cron").count() == 1


def test_o_33_a_firing_that_finds_the_one_before_at_work_begins_its_transcript_after_it(alice: make.Person, clock: Clock) -> None:
    held = save(alice, crontab="*/5 * * * *")
    forward_to(clock, held)
    fire(held.pk)
    first = play.take(Run.objects.get())
    before = Session.objects.get(kind="cron").session_id
    forward_to(clock, held)
    fire(held.pk)
    assert Session.objects.get(kind="cron").session_id == before
    play.answer(first, "first")
    session = Session.objects.get(kind="cron")
    play.answer(play.queued(alice)[0], "second")
    assert session.session_id != before
    contents = [each.message["content"] for each in Entry.objects.filter(session=session, session_id_kept=before).order_by("seq")]
    assert contents == ["Summarise the day.", "first"]


def test_firings_do_not_pile_up_behind_a_run_that_lasts(alice: make.Person, clock: Clock) -> None:
    held = save(alice, crontab="* * * * *")
    forward_to(clock, held)
    fire(held.pk)
    play.take(Run.objects.get())
    for _ in range(5):
        forward_to(clock, held)
        fire(held.pk)
    assert Run.objects.count() == 2


def test_o_17_no_session_of_a_single_cron_run_comes_to_be(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    forward_to(clock, held)
    fire(held.pk)
    assert set(Session.objects.values_list("key", flat=True)) == {"agent:main:cron:nightly"}


def test_a_schedule_that_is_switched_off_neither_fires_nor_is_sent(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    save(alice, enabled=False)
    clock.forward(days=2)
    fire(held.pk)
    assert sweeping.fire_missed(system()) == 0 and not Run.objects.exists() and not task_of(held).enabled
    again = save(alice)
    assert task_of(again).enabled and again.next_at is not None and again.next_at > clock(), "what was due meanwhile is over"


def test_nothing_begins_by_the_clock_for_an_owner_who_is_switched_off(alice: make.Person, clock: Clock) -> None:
    held = save(alice)
    alice.user.is_active = False
    alice.user.save()
    forward_to(clock, held)
    fire(held.pk)
    assert not Run.objects.exists() and sweeping.fire_missed(system()) == 0
    alice.user.is_active = True
    alice.user.save()
    fire(held.pk)
    assert not Run.objects.exists(), "what was due meanwhile is over"
    held.refresh_from_db()
    forward_to(clock, held)
    fire(held.pk)
    assert Run.objects.count() == 1


def test_a_task_that_staff_switched_off_stays_off_when_the_owner_changes_his_prompt(
    alice: make.Person, staff: make.Person, clock: Clock
) -> None:
    from project.actions import switch_task

    held = save(alice)
    switch_task(staff.actor, task_id=held.periodic_task or 0, enabled=False)
    save(alice, prompt="another")
    clock.forward(days=2)
    assert not task_of(held).enabled and sweeping.fire_missed(system()) == 0


def test_one_schedule_that_cannot_fire_keeps_no_other(alice: make.Person, clock: Clock) -> None:
    broken = save(alice, slug="broken")
    save(alice, slug="whole")
    Schedule.objects.filter(pk=broken.pk).update(zone="Mars/Base")
    clock.forward(days=1)
    assert sweeping.fire_missed(system()) == 1
