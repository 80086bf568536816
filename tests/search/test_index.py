"""The index of words stays right whatever happens to the messages."""

from typing import Any

import pytest
from django.db import connection

from accounts.actions import delete_account
from chat import pruning, store
from chat.actions import remove_messages
from chat.models import Message
from chat.search import search
from chat.search.sqlite import AT_ONCE, MOST_SEQ
from core.actor import system
from tests import door, make
from tests.clock import Clock

sqlite_only = pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite keeps its index in a table of its own")


def found(who: make.Person, words: str) -> list[int]:
    return [hit.entry.seq for hit in search(who.actor, words).hits]


def marks() -> list[tuple[int, int]]:
    """Up to which number each account's messages are in SQLite's index."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT account_id, seq FROM chat_message_words_mark ORDER BY account_id")
        return [(account, seq) for account, seq in cursor.fetchall()]


def stored(who: make.Person, seq: int) -> None:
    """A message under a number of the test's choice."""
    Message.objects.create(
        account=who.account, seq=seq, thread=seq, topic="a", body="word", body_bytes=4, session_name="x", author="x",
        created_at=who.account.created_at,
    )  # fmt: skip


def words_held() -> list[tuple[str, int]]:
    """Every word of every message that SQLite's index holds, with the row's number."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE VIRTUAL TABLE temp.heard USING fts5vocab (main, chat_message_words, instance)")
        cursor.execute("SELECT term, doc FROM heard")
        rows = [(term, doc) for term, doc in cursor.fetchall()]
        cursor.execute("DROP TABLE temp.heard")
        cursor.execute("INSERT INTO chat_message_words (chat_message_words) VALUES ('integrity-check')")
    return rows


@pytest.mark.usefixtures("wherever")
def test_what_clean_up_removed_is_not_found(alice: make.Person, clock: Clock) -> None:
    make.message(alice, "old word")
    clock.forward(days=10)
    make.message(alice, "new word")
    clock.forward(days=5)
    pruning.prune(actor=system(), dry_run=False, progress=lambda rows: None)
    assert found(alice, "word") == [2] and found(alice, "old") == []


@pytest.mark.usefixtures("wherever")
def test_what_the_store_deletes_is_not_found(alice: make.Person) -> None:
    make.message(alice, "one word")
    make.message(alice, "two word")
    pk = Message.objects.get(seq=1).pk
    assert store.delete(alice.account.pk, [pk]) == ([1], len("one word"))
    assert found(alice, "word") == [2] and found(alice, "one") == []


@pytest.mark.usefixtures("wherever")
def test_a_changed_message_is_found_by_what_it_says_now(alice: make.Person) -> None:
    make.message(alice, "before", topic="a")
    Message.objects.update(body="after", topic="elsewhere")
    assert found(alice, "before") == [] and found(alice, "after elsewhere") == [1]


@sqlite_only
@pytest.mark.usefixtures("indexed")
def test_nothing_is_left_of_a_deleted_account_in_the_index(alice: make.Person, bob: make.Person) -> None:
    make.message(alice, "hers alone")
    make.message(bob, "his")
    delete_account(system(), account_id=alice.account.pk)
    assert {term for term, _ in words_held()} == {"his", "general", "peer"}
    assert {account for account, _ in marks()} == {bob.account.pk}


@sqlite_only
@pytest.mark.usefixtures("indexed")
def test_nothing_is_left_in_the_index_of_messages_however_they_went(alice: make.Person) -> None:
    for number in range(30):
        make.message(alice, f"Ação {number} 🤖done e\u0301te\u0301 {'界' * number} naïve")
    ids = list(Message.objects.order_by("pk").values_list("pk", flat=True))
    remove_messages(system(), account_id=alice.account.pk, ids=ids[:10])
    Message.objects.filter(pk__in=ids[10:20]).delete()
    Message.objects.filter(pk__in=ids[20:]).update(body="changed")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM chat_message")
    assert words_held() == []


@sqlite_only
def test_the_newest_messages_are_found_before_they_are_indexed_and_after(alice: make.Person, settings: Any) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 0
    by = make.agent(alice)
    for number in range(1, 2 * AT_ONCE + 10):
        make.message(alice, f"word{number} common", by=by)
        if number in {1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE, 2 * AT_ONCE + 9}:
            assert found(alice, f"word{number}")[0] == number
            assert len(search(alice.actor, "common", limit=100).hits) == min(number, 100)
            assert marks() == ([(alice.account.pk, number // AT_ONCE * AT_ONCE)] if number >= AT_ONCE else [])
    assert found(alice, f"word{AT_ONCE}") == [AT_ONCE]
    pages = [search(alice.actor, "comm", before=before, limit=7).hits for before in range(2 * AT_ONCE + 10, 1, -7)]
    assert [hit.entry.seq for page in pages for hit in page] == list(range(2 * AT_ONCE + 9, 0, -1))


@sqlite_only
def test_the_index_holds_exactly_what_is_numbered_up_to_the_mark(alice: make.Person) -> None:
    for seq in (500, 100, 501, 563, 564, 30, 600):
        stored(alice, seq)
    assert marks() == [(alice.account.pk, 564)]
    assert {doc & MOST_SEQ for _, doc in words_held()} == {30, 100, 500, 501, 563, 564}
    assert found(alice, "word") == [600, 564, 563, 501, 500, 100, 30]
    Message.objects.filter(seq__in=(500, 600)).delete()
    Message.objects.filter(seq=100).update(seq=601)
    Message.objects.filter(seq=563).update(body="other")
    assert {doc & MOST_SEQ for term, doc in words_held() if term == "word"} == {30, 501, 564}
    assert found(alice, "word") == [601, 564, 501, 30]


@sqlite_only
def test_every_trigger_stands_after_all_migrations(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'chat_message'")
        names = {name for (name,) in cursor.fetchall()}
    assert names >= {f"chat_message_words_{deed}" for deed in ("insert", "delete", "update")}, (
        "a migration that remakes chat_message drops its triggers: install chat.search.sqlite.TRIGGERS again"
    )


@pytest.mark.django_db(transaction=True)
def test_the_migration_fills_the_index_and_has_a_way_back() -> None:
    from django.core.management import call_command

    alice = make.person("alice@example.org")
    make.message(alice, "stored before Ação")
    call_command("migrate", "chat", "0002", verbosity=0)
    try:
        Message.objects.filter(seq=1).update(session_name="elder")
    finally:
        call_command("migrate", "chat", verbosity=0)
        door.make_role()  # tables that are made anew are shut to it
    make.message(alice, "stored after")
    assert found(alice, "stored") == [2, 1] and found(alice, "elder acao") == [1]
    Message.objects.all().delete()
    assert found(alice, "stored") == []
