"""`manage.py chat export` and `import`: what leaves comes back, once."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.models import Entry
from chat import pruning
from chat.actions import update_settings
from chat.models import ChatSettings, Counter, Message
from chat.reading import read_page
from chat.search import search
from core.actor import system
from tests import make
from tests.clock import Clock

FIELDS = [field.attname for field in Message._meta.fields if field.name not in {"id", "account"}]


def chat(*arguments: str) -> str:
    out = io.StringIO()
    call_command("chat", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def rows(who: make.Person) -> list[dict[str, Any]]:
    return list(Message.objects.filter(account=who.account).order_by("seq").values(*FIELDS))


def talk(who: make.Person) -> None:
    """Messages that use every field an agent fills."""
    agent = make.agent(who)
    root = make.message(
        who, 'tabs\t, lines\n, "quotes" \\ and ação 🤖\u2028', by=agent, topic="docs/review", session_name="peer ☕"
    )
    make.message(who, "an answer", by=agent, reply_to=root)
    make.message(who, "with a key", by=agent, client_key="once 1")
    from chat.actions import post_as_owner
    from chat.values import Draft

    post_as_owner(who.actor, Draft(body="the owner's word", session_name="maintainer"))


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "chat.jsonl")


def test_what_was_exported_comes_back_whole(alice: make.Person, bob: make.Person, file: str) -> None:
    talk(alice)
    said = chat("export", file, "--account", "alice@example.org")
    assert said.startswith(f"4 messages exported to {file}")
    assert chat("import", file, "--account", "bob@example.org") == "4 messages stored, 0 there already\n"
    assert rows(bob) == rows(alice) and len(rows(bob)) == 4
    counters = {each.account_id: (each.last_seq, each.stored_bytes) for each in Counter.objects.all()}
    assert counters[bob.account.pk] == counters[alice.account.pk]
    assert [hit.entry.seq for hit in search(bob.actor, "acao").hits] == [1]


def test_a_header_says_what_the_file_is_and_each_line_is_one_message(alice: make.Person, file: str, clock: Clock) -> None:
    agent = make.agent(alice)
    make.message(alice, "hello", by=agent)
    chat("export", file)
    head, line = (json.loads(each) for each in Path(file).read_text().splitlines())
    assert head == {
        "format": "tertulia-chat",
        "version": 1,
        "account": "alice@example.org",
        "exported_at": "2026-11-29T12:00:00.000000Z",
        "messages": 1,
    }
    assert line == {
        "seq": 1, "topic": "general", "session_name": "peer", "connection_id": agent.connection_id, "handle": "",
        "author": agent.connection_id, "time": "2026-11-29T12:00:00.000000Z", "thread": 1, "reply_to": None, "mentions": [],
        "client_key": None, "body": "hello",
    }  # fmt: skip


def test_importing_twice_stores_nothing_twice(alice: make.Person, file: str) -> None:
    talk(alice)
    before, counter = rows(alice), Counter.objects.values().get()
    chat("export", file)
    for _ in range(2):
        assert chat("import", file) == "0 messages stored, 4 there already\n"
    assert rows(alice) == before and Counter.objects.values().get() == counter


def test_what_was_lost_is_filled_in_under_its_old_number(alice: make.Person, file: str) -> None:
    talk(alice)
    before = rows(alice)
    chat("export", file)
    from chat.actions import remove_messages

    ids = list(Message.objects.filter(seq__in=(2, 3)).values_list("pk", flat=True))
    remove_messages(system(), account_id=alice.account.pk, ids=ids)
    make.message(alice, "meanwhile")
    assert chat("import", file) == "2 messages stored, 2 there already\n"
    assert rows(alice)[:4] == before and [row["seq"] for row in rows(alice)] == [1, 2, 3, 4, 5]
    assert Counter.objects.get().stored_bytes == sum(row["body_bytes"] for row in rows(alice))


def test_the_counter_rises_to_the_highest_number_and_goes_on_from_there(alice: make.Person, bob: make.Person, file: str) -> None:
    for _ in range(3):
        make.message(alice)
    chat("export", file, "--account", "alice@example.org")
    make.message(bob, "hello", session_name="other")
    with pytest.raises(CommandError, match="1 line was left out"):
        chat("import", file, "--account", "bob@example.org")
    assert [row["session_name"] for row in rows(bob)] == ["other", "peer", "peer"]
    assert make.message(bob) == 4


def test_a_used_client_key_stays_used_after_an_import(alice: make.Person, file: str) -> None:
    agent = make.agent(alice)
    make.message(alice, "once", by=agent, client_key="k")
    chat("export", file)
    Message.objects.all().delete()
    chat("import", file)
    assert make.message(alice, "once", by=agent, client_key="k") == 1


def test_an_imported_reply_is_read_like_any_other(alice: make.Person, bob: make.Person, file: str) -> None:
    talk(alice)
    chat("export", file, "--account", "alice@example.org")
    chat("import", file, "--account", "bob@example.org")
    page = read_page(make.agent(bob), after=0)
    assert [(each.seq, each.reply_to, each.thread, each.reply_to_gone) for each in page.messages][1] == (2, 1, 1, False)
    assert page.latest_seq == 4


def test_messages_past_their_time_come_in_are_told_of_and_go_at_the_next_clean_up(
    alice: make.Person, file: str, clock: Clock
) -> None:
    make.message(alice)
    clock.forward(days=10)
    make.message(alice)
    chat("export", file)
    Message.objects.all().delete()
    clock.forward(days=5)
    said = chat("import", file)
    assert "2 messages stored" in said and "1 of the account's messages are older than the 14 days" in said
    assert pruning.prune(actor=system(), dry_run=False, progress=lambda rows: None) == 1


def test_both_are_in_the_audit_log_without_any_text(alice: make.Person, file: str) -> None:
    make.message(alice, "secretword", topic="secrettopic", session_name="secretname")
    chat("export", file)
    chat("import", file)
    entries = list(Entry.objects.filter(deed__startswith="chat.").order_by("id"))
    assert [(each.deed, each.door, each.who) for each in entries] == [
        ("chat.exported", "command", "command line"),
        ("chat.import_begun", "command", "command line"),
        ("chat.imported", "command", "command line"),
    ]
    assert entries[0].details == {"messages": 1}
    assert entries[2].details == {"stored": 0, "known": 1, "bad": 0, "conflicts": 0}
    assert {each.account_id for each in entries} == {alice.account.pk}
    assert not [each for each in entries if "secret" in f"{each.details} {each.target} {each.target_label}"]


def test_they_work_while_the_switch_is_off_and_leave_it_off(alice: make.Person, file: str) -> None:
    make.message(alice)
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    chat("export", file)
    Message.objects.all().delete()
    chat("import", file)
    assert len(rows(alice)) == 1 and not ChatSettings.objects.get().allowed


def test_a_chat_of_many_chunks_and_batches_is_whole(alice: make.Person, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.transfer.exporting.CHUNK", 3)
    monkeypatch.setattr("chat.transfer.importing.BATCH", 4)
    by = make.agent(alice)
    for number in range(11):
        make.message(alice, f"{number}", by=by)
    before = rows(alice)
    assert chat("export", file).startswith("11 messages")
    Message.objects.all().delete()
    assert chat("import", file).startswith("11 messages stored")
    assert rows(alice) == before


@pytest.mark.django_db(transaction=True)
def test_waiters_are_rung_once_at_the_end(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    from chat.news import chat_key

    alice = make.person("alice@example.org")
    monkeypatch.setattr("chat.transfer.importing.BATCH", 1)
    for _ in range(3):
        make.message(alice)
    chat("export", file)
    Message.objects.all().delete()
    rung: list[str] = []
    monkeypatch.setattr("core.news.couriers.publish", lambda keys: rung.extend(keys))
    chat("import", file)
    assert rung.count(chat_key(alice.account.pk)) == 1
    chat("import", file)
    assert rung.count(chat_key(alice.account.pk)) == 1


def test_a_pipe_carries_it_too(alice: make.Person, bob: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(alice)
    lines = chat("export", "-", "--account", "alice@example.org")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    chat("import", "-", "--account", "bob@example.org")
    assert rows(bob) == rows(alice)
