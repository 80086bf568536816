"""What goes from the chat by its age or by its owner's word, and what a full storage does."""

from dataclasses import replace
from typing import Any

import pytest

from audit.models import Entry
from chat.actions import remove_rows
from chat.clearing.actions import prune_now, purge
from chat.cursors.actions import mark_read
from chat.models import ChatSettings, Counter, Cursor, Mention, Message, Wake
from chat.pruning import prune, prune_cursors, prune_wakes
from chat.reading import read_page
from core.actor import Actor, Door, operator, system
from core.errors import Forbidden, StorageFull
from tests import make
from tests.clock import Clock

pytestmark = pytest.mark.django_db


def everybody(actor: Actor) -> int:
    """The hourly clean-up."""
    return prune(actor=system(), dry_run=False, progress=lambda rows: None)


@pytest.mark.parametrize("way", [everybody, prune_now])
def test_t_69_with_openers_kept_a_root_stays_while_it_has_a_reply_that_is_kept(
    alice: make.Person, clock: Clock, settings: Any, way: Any
) -> None:
    settings.CHAT_RETENTION_DAYS = 30
    ChatSettings.objects.update(keep_thread_openers=True, retention_days=30)
    root = make.message(alice, "root with a reply")
    for body in ("plain", "root alone"):
        make.message(alice, body)
    old_reply = make.message(alice, "old reply", reply_to=root)
    clock.forward(days=2)
    reply = make.message(alice, "reply", reply_to=root)
    clock.forward(days=29)
    assert way(alice.actor) == 3
    assert set(Message.objects.values_list("seq", flat=True)) == {root, reply} and old_reply not in {root, reply}
    assert Entry.objects.get(deed="chat.pruned").details == {"messages": 3}
    clock.forward(days=2)
    assert way(alice.actor) == 2


@pytest.mark.parametrize("way", [everybody, prune_now])
def test_t_69_without_that_setting_age_alone_counts(alice: make.Person, clock: Clock, settings: Any, way: Any) -> None:
    settings.CHAT_RETENTION_DAYS = 30
    root = make.message(alice)
    clock.forward(days=2)
    reply = make.message(alice, reply_to=root)
    clock.forward(days=29)
    assert way(alice.actor) == 1 and Message.objects.get().seq == reply


def test_the_owner_prunes_his_own_account_alone_and_it_is_recorded_as_his(
    alice: make.Person, bob: make.Person, clock: Clock
) -> None:
    make.message(alice)
    make.message(bob)
    clock.forward(days=15)
    assert prune_now(alice.actor) == 1 and Message.objects.get().account_id == bob.account.pk
    assert Entry.objects.get(deed="chat.pruned").user_id == alice.user.pk
    assert prune_now(alice.actor) == 0 and Entry.objects.filter(deed="chat.pruned").count() == 1


def test_t_70_above_its_cap_posts_are_refused_reads_work_and_to_prune_makes_room(
    alice: make.Person, clock: Clock, settings: Any
) -> None:
    settings.CHAT_STORAGE_BYTES = 1_000
    agent = make.agent(alice)
    make.message(alice, "x" * 900, by=agent)
    clock.forward(days=15)
    for refused in (lambda: make.message(alice, "y" * 101, by=agent), lambda: make.message(alice, "y" * 5_000, by=agent)):
        with pytest.raises(StorageFull) as refusal:
            refused()
        assert refusal.value.code == "storage_full" and "1000 bytes" in refusal.value.detail
    assert len(read_page(agent, after=0).messages) == 1
    assert prune_now(alice.actor) == 1 and Counter.objects.get(account=alice.account).stored_bytes == 0
    assert make.message(alice, "y" * 1_000, by=agent) == 2


def test_t_71_to_purge_leaves_nothing_of_the_messages_and_numbers_go_on(alice: make.Person, bob: make.Person) -> None:
    lead = make.granted(alice, "lead")
    make.message(alice, "look @lead")
    make.message(alice, "thanks", by=lead)
    make.message(bob)
    assert Mention.objects.exists()
    assert purge(alice.actor, word="purge") == 2
    assert not Mention.objects.exists() and Message.objects.get().account_id == bob.account.pk
    assert Entry.objects.get(deed="chat.purged").details == {"messages": 2, "up_to": 2}
    assert read_page(lead, after=2).latest_seq == 2 and make.message(alice) == 3
    assert Counter.objects.get(account=alice.account).stored_bytes == len("hello")


def test_mentions_go_with_their_messages(alice: make.Person, clock: Clock) -> None:
    make.granted(alice, "lead")
    make.message(alice, "look @lead")
    clock.forward(days=15)
    kept = make.message(alice, "and here, @lead")
    prune_now(alice.actor)
    assert [each.seq for each in Mention.objects.all()] == [kept]


@pytest.mark.parametrize("deed", [prune_now, lambda actor: purge(actor, word="purge")], ids=["prune", "purge"])
@pytest.mark.parametrize("who", ["an agent", "a granted launch", "a shell", "staff", "the admin"])
def test_nobody_but_the_owner_in_person_clears(alice: make.Person, staff: make.Person, deed: Any, who: str) -> None:
    make.message(alice)
    actor = {
        "an agent": make.agent(alice),
        "a granted launch": make.granted(alice),
        "a shell": operator(alice.account.pk),
        "staff": replace(staff.actor, account_id=None),
        "the admin": replace(alice.actor, door=Door.ADMIN),
    }[who]
    with pytest.raises(Forbidden) as refusal:
        deed(actor)
    assert refusal.value.code == "owner_only" and Message.objects.count() == 1


def test_cursors_that_stand_still_and_wakes_go_when_messages_of_that_age_are_gone(alice: make.Person, clock: Clock) -> None:
    lead = make.granted(alice, "lead", wake=True)
    for body in ("look @lead", "again, @lead"):
        seq = make.message(alice, body)
        mark_read(lead, {"general": seq})
        clock.forward(days=10)
    left = {"cursors": 1, "wakes": 2}
    for days, cursors, wakes in ((0, 1, 1), (3, 1, 1), (2, 0, 0)):
        clock.forward(days=days)
        for dry_run in (True, False):
            run = {"actor": system(), "dry_run": dry_run, "progress": lambda rows: None}
            told = {"cursors": prune_cursors(**run), "wakes": prune_wakes(**run)}  # type: ignore[arg-type]
            assert told == {"cursors": left["cursors"] - cursors, "wakes": left["wakes"] - wakes}
        left = {"cursors": Cursor.objects.count(), "wakes": Wake.objects.count()}
        assert left == {"cursors": cursors, "wakes": wakes}


def test_only_the_clean_up_removes_them(alice: make.Person) -> None:
    with pytest.raises(Forbidden):
        remove_rows(alice.actor, Cursor.objects.all())
