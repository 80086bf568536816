"""How sub-agents, and other sessions, leave the list."""

import pytest

from audit.models import Entry as AuditEntry
from core.actor import system
from core.errors import Forbidden, Gone
from sessions_app.models import Announcement, Entry, Run, Session, Spawn
from sessions_app.runs import actions as runs
from sessions_app.spawning import sweeping
from sessions_app.spawning.archiving import actions as archiving
from sessions_app.spawning.tasks import tidy
from sessions_app.values import Asked
from tests import make, play
from tests.clock import Clock
from tests.spawning import acts

pytestmark = pytest.mark.usefixtures("hub_runs_main")


def living() -> set[str]:
    return set(Session.objects.filter(archived_at=None).values_list("key", flat=True))


def test_o_116_a_child_that_is_kept_leaves_the_list_an_hour_after_its_end(alice: make.Person, clock: Clock) -> None:
    ended = acts.end(acts.spawn(alice))
    clock.forward(minutes=59)
    acts.sweep()
    assert ended.child.key in living()
    clock.forward(minutes=1)
    acts.sweep()
    assert ended.child.key not in living()


def test_o_117_its_transcript_is_retained_under_a_deleted_name_and_its_key_is_free(alice: make.Person, clock: Clock) -> None:
    ended = acts.end(acts.spawn(alice), "42 files")
    key = ended.child.key
    clock.forward(minutes=60)
    acts.sweep()
    kept = Session.objects.get(pk=ended.child_id)
    assert kept.key == f"{key}:deleted:20261129t130000z" and kept.archived_at == clock()
    assert [each.message["content"] for each in Entry.objects.filter(session=kept)] == ["count the files", "42 files"]
    assert make.session(alice, key).pk != kept.pk
    assert acts.call(alice, make.session(alice), "subagents", action="list").subagents == []


def test_o_117_the_sweep_comes_every_minute() -> None:
    from core.registry import sweeps
    from project.schedules import SCHEDULES

    assert sweeps.get("sub-agents") is sweeping.sweep
    assert SCHEDULES["sweep"]["schedule"].minute == set(range(60))


@pytest.mark.parametrize(("minutes", "after", "gone"), [(5, 5, True), (5, 4, False), (0, 100_000, False)])
def test_the_account_says_how_long_children_stay(alice: make.Person, clock: Clock, minutes: int, after: int, gone: bool) -> None:
    acts.settings(alice, subagent_archive_minutes=minutes)
    ended = acts.end(acts.spawn(alice))
    clock.forward(minutes=after)
    acts.sweep()
    assert (ended.child.key not in living()) is gone


def test_o_116_a_child_that_is_to_be_deleted_goes_right_after_it_was_told_of(alice: make.Person) -> None:
    main = acts.on_a_route(alice)
    ended = acts.end(acts.spawn(alice, cleanup="delete"), "42 files")
    tidy(ended.pk)
    assert not Session.objects.filter(pk=ended.child_id).exists() and not Entry.objects.filter(session_id=ended.child_id).exists()
    assert "42 files" in acts.told(main)[0] and "42 files" in acts.announced(alice)[0]
    assert Announcement.objects.get().state == "pending", "what is on its way is not lost with the child"


def test_the_sweep_deletes_what_the_task_was_not_told_to(alice: make.Person) -> None:
    ended = acts.end(acts.spawn(alice, cleanup="delete"))
    acts.sweep()
    assert not Session.objects.filter(pk=ended.child_id).exists() and not Spawn.objects.exists()


def test_a_task_that_is_told_of_another_child_deletes_nothing(alice: make.Person) -> None:
    kept, running = acts.end(acts.spawn(alice)), acts.spawn(alice, cleanup="delete")
    tidy(kept.pk)
    tidy(running.pk)
    tidy(10**9)
    assert {kept.child.key, running.child.key} <= living()


@pytest.mark.parametrize("cleanup", ["keep", "delete"])
def test_o_118_an_archiving_that_fails_once_is_tried_again_and_leaves_no_orphan(
    alice: make.Person, clock: Clock, monkeypatch: pytest.MonkeyPatch, cleanup: str
) -> None:
    ended = acts.end(acts.spawn(alice, cleanup=cleanup))
    other = acts.end(acts.spawn(alice))
    failing = ended.child_id
    real = archiving.record

    def record(actor: object, deed: str, **more: object) -> object:
        if more.get("target") == f"session:{failing}":
            raise OSError("the disk is full")
        return real(actor, deed, **more)  # type: ignore[arg-type]

    clock.forward(minutes=60)
    with monkeypatch.context() as patched:
        patched.setattr(archiving, "record", record)
        acts.sweep()
    assert ended.child.key in living() and other.child.key not in living(), "one that fails keeps no other"
    assert acts.fresh(ended).archive_attempts == 1
    clock.forward(minutes=2)
    acts.sweep()
    assert ended.child.key not in living() and not Session.objects.filter(key=ended.child.key).exists()
    assert Session.objects.filter(pk=failing).exists() is (cleanup == "keep")


def test_o_118_a_removal_that_fails_once_is_tried_again(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = acts.end(acts.spawn(alice, cleanup="delete"))

    def broken(*args: object) -> int:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(sweeping.pruning, "remove_sessions", broken)
        acts.sweep()
    assert Session.objects.get(pk=ended.child_id).archived_at is not None
    acts.sweep()
    assert not Session.objects.filter(pk=ended.child_id).exists()


def test_a_child_that_is_at_work_again_stays_until_it_is_idle(alice: make.Person, clock: Clock) -> None:
    ended = acts.end(acts.spawn(alice))
    again = runs.begin(alice.actor, ended.child, Asked(message="one more thing", purpose=Run.SEND))
    clock.forward(minutes=61)
    acts.sweep()
    assert ended.child.key in living()
    play.answer(again)
    clock.forward(minutes=2)
    acts.sweep()
    assert ended.child.key not in living()


def test_an_ended_parent_waits_for_those_beneath_it_and_takes_them_along(alice: make.Person, clock: Clock) -> None:
    middle, deep = acts.nested(alice)
    play.fail(middle.run)  # type: ignore[arg-type]
    clock.forward(minutes=61)
    acts.sweep()
    assert {middle.child.key, deep.child.key} <= living()
    acts.end(deep)
    clock.forward(minutes=2)
    acts.sweep()
    assert living() == {"agent:main:main"}


def test_a_deleted_parent_leaves_no_orphan_beneath_it(alice: make.Person, clock: Clock) -> None:
    middle, deep = acts.nested(alice, cleanup="delete")
    acts.end(middle, "I wait")
    acts.end(deep)
    play.answer(Run.objects.get(session=middle.child, purpose=Run.RESULT), "all")
    acts.sweep()
    assert set(Session.objects.values_list("key", flat=True)) == {"agent:main:main"}


def test_the_owner_archives_a_session_and_what_runs_there_is_stopped(alice: make.Person, clock: Clock) -> None:
    held = make.session(alice, "agent:main:old", label="old")
    run = runs.begin(alice.actor, held, Asked(message="go", purpose=Run.OWNER))
    archiving.archive(alice.actor, held)
    run.refresh_from_db()
    assert (run.state, held.key, held.archived_at) == (Run.STOPPED, "agent:main:old:deleted:20261129t120000z", clock())
    assert AuditEntry.objects.filter(deed="session.archived", target_label="agent:main:old").exists()
    make.session(alice, "agent:main:new", label="old")
    with pytest.raises(Gone):
        archiving.archive(alice.actor, held)


def test_a_child_that_the_owner_archives_while_it_runs_is_told_of_as_stopped(alice: make.Person, clock: Clock) -> None:
    main = make.session(alice)
    spawned = acts.spawn(alice, main)
    held = play.take(spawned.run)  # type: ignore[arg-type]
    archiving.archive(alice.actor, Session.objects.get(pk=spawned.child_id))
    play.end(held, play.Outcome(state="stopped"))
    assert "Status: stopped" in acts.told(main)[0]
    clock.forward(minutes=61)
    acts.sweep()
    assert acts.fresh(spawned).archive_at is None and acts.fresh(spawned).archive_attempts == 0


def test_a_long_key_has_room_for_its_deleted_name(alice: make.Person) -> None:
    held = make.session(alice, "agent:main:" + "x" * 245)
    archiving.archive(alice.actor, held)
    assert len(held.key) <= 256 and ":deleted:" in held.key


def test_agents_and_charlie_archive_nothing(alice: make.Person, charlie: make.Person) -> None:
    held = make.session(alice)
    for actor in (make.in_session(alice, held), make.agent(alice), charlie.actor, make.agent(charlie)):
        with pytest.raises(Forbidden):
            archiving.archive(actor, held)
    assert living() == {"agent:main:main"}


def test_a_sweep_of_one_account_leaves_the_others(alice: make.Person, charlie: make.Person, clock: Clock) -> None:
    ended = acts.end(acts.spawn(alice))
    clock.forward(minutes=61)
    sweeping.sweep(system(account_id=charlie.account.pk))
    assert ended.child.key in living()
