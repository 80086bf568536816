"""The index of words stays right whatever happens to the messages."""

import pytest
from django.db import connection

from accounts.actions import delete_account
from chat import pruning, store
from chat.actions import remove_messages
from chat.models import Message
from chat.search import search
from core.actor import system
from tests import make
from tests.clock import Clock

sqlite_only = pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite keeps its index in a table of its own")


def found(who: make.Person, words: str) -> list[int]:
    return [hit.entry.seq for hit in search(who.actor, words).hits]


def indexed() -> list[tuple[str, int]]:
    """Every word of every message that SQLite's index holds."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE VIRTUAL TABLE temp.heard USING fts5vocab (main, chat_message_words, instance)")
        cursor.execute("SELECT term, doc FROM heard")
        rows = [(term, doc) for term, doc in cursor.fetchall()]
        cursor.execute("DROP TABLE temp.heard")
        cursor.execute("INSERT INTO chat_message_words (chat_message_words) VALUES ('integrity-check')")
    return rows


def test_what_clean_up_removed_is_not_found(alice: make.Person, clock: Clock) -> None:
    make.message(alice, "old word")
    clock.forward(days=10)
    make.message(alice, "new word")
    clock.forward(days=5)
    pruning.prune(actor=system(), dry_run=False, progress=lambda rows: None)
    assert found(alice, "word") == [2] and found(alice, "old") == []


def test_what_the_store_deletes_is_not_found(alice: make.Person) -> None:
    make.message(alice, "one word")
    make.message(alice, "two word")
    pk = Message.objects.get(seq=1).pk
    assert store.delete(alice.account.pk, [pk]) == (1, len("one word"))
    assert found(alice, "word") == [2] and found(alice, "one") == []


def test_a_changed_message_is_found_by_what_it_says_now(alice: make.Person) -> None:
    make.message(alice, "before", topic="a")
    Message.objects.update(body="after", topic="elsewhere")
    assert found(alice, "before") == [] and found(alice, "after elsewhere") == [1]


@sqlite_only
def test_nothing_is_left_of_a_deleted_account_in_the_index(alice: make.Person, bob: make.Person) -> None:
    make.message(alice, "hers alone")
    make.message(bob, "his")
    delete_account(system(), account_id=alice.account.pk)
    assert {term for term, _ in indexed()} == {"his", "general", "peer"}


@sqlite_only
def test_nothing_is_left_in_the_index_of_messages_however_they_went(alice: make.Person) -> None:
    for number in range(30):
        make.message(alice, f"Ação {number} 🤖done e\u0301te\u0301 {'界' * number} naïve")
    ids = list(Message.objects.order_by("pk").values_list("pk", flat=True))
    remove_messages(system(), account_id=alice.account.pk, ids=ids[:10])
    Message.objects.filter(pk__in=ids[10:20]).delete()
    Message.objects.filter(pk__in=ids[20:]).update(body="changed")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM chat_message")
    assert indexed() == []


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
    make.message(alice, "stored after")
    assert found(alice, "stored") == [2, 1] and found(alice, "elder acao") == [1]
    Message.objects.all().delete()
    assert found(alice, "stored") == []
