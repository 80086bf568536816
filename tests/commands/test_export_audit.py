"""`manage.py export_audit`."""

import csv
import io
import json
import stat
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.actions import delete_account
from audit.actions import record
from audit.models import Entry
from core.actor import system
from tests import make


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("export_audit", *arguments, stdout=out)
    return out.getvalue()


def deeds(*arguments: str) -> list[str]:
    return [json.loads(line)["deed"] for line in run(*arguments).splitlines()]


def test_it_writes_every_entry_oldest_first_as_json_lines(alice: make.Person) -> None:
    entry = record(alice.actor, "alices.deed", target="thing:1", label="Ding – ä", scopes="mcp")
    last = json.loads(run().splitlines()[-1])
    assert last == {
        "id": entry.pk,
        "at": entry.at.isoformat(),
        "account_id": alice.account.pk,
        "user_id": alice.user.pk,
        "who": "alice@example.org",
        "door": "page",
        "deed": "alices.deed",
        "connection_id": "",
        "target": "thing:1",
        "target_label": "Ding – ä",
        "details": {"scopes": "mcp"},
    }
    assert deeds() == ["account.created", "alices.deed"] == deeds("--json", "-")


def test_csv_has_a_header_and_no_formula(alice: make.Person) -> None:
    record(alice.actor, "alices.deed", label='=HYPERLINK("x")', scopes="mcp")
    rows = list(csv.DictReader(io.StringIO(run("--csv"))))
    assert [row["deed"] for row in rows] == ["account.created", "alices.deed"]
    assert rows[1]["target_label"] == '\'=HYPERLINK("x")' and json.loads(rows[1]["details"]) == {"scopes": "mcp"}


def test_it_is_narrowed_to_an_account_even_a_deleted_one(alice: make.Person, bob: make.Person) -> None:
    delete_account(system(), account_id=alice.account.pk)
    assert deeds("--account", "Alice@example.org") == ["account.created", "account.deleted"]
    assert deeds("--account", "bob@example.org") == ["account.created"]


def test_it_is_narrowed_to_a_time(db: None) -> None:
    record(system(), "first.deed")
    second = record(system(), "second.deed")
    assert deeds("--since", second.at.isoformat()) == ["second.deed"]
    assert deeds("--since", f"{timezone.localdate():%Y-%m-%d}") == ["first.deed", "second.deed"]
    assert deeds("--since", "2999-01-01") == []


@pytest.mark.parametrize("given", ["yesterday", "2026-13-01", "2026-02-30", "01.02.2026", "2026-01-01T99:00", "0", "\x00"])
def test_what_is_no_date_is_one_sentence(given: str, db: None) -> None:
    with pytest.raises(CommandError, match="is no date"):
        run("--since", given)


def test_an_unknown_account_is_one_sentence(db: None) -> None:
    with pytest.raises(CommandError, match="The log knows no account of nobody"):
        run("--account", "nobody@example.org")


def test_a_file_is_its_owner_s_alone_even_one_that_was_there(alice: make.Person, tmp_path: Path) -> None:
    for name in ("fresh.jsonl", "old.jsonl"):
        file = tmp_path / name
        if name.startswith("old"):
            file.write_text("left over " * 100)
            file.chmod(0o644)
        assert run(str(file)) == ""
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert json.loads(file.read_text())["deed"] == "account.created"


@pytest.mark.parametrize("name", ["", "nowhere/x.jsonl", "."])
def test_a_file_that_cannot_be_written_is_one_sentence(name: str, db: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        run(str(tmp_path / name) if name else "/")


def test_json_and_csv_exclude_each_other(db: None) -> None:
    with pytest.raises(CommandError):
        run("--json", "--csv")


def test_it_holds_a_chunk_in_memory_not_the_log(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.management.commands.export_audit.CHUNK", 2)
    for _ in range(4):
        record(alice.actor, "deed")
    assert len(deeds()) == Entry.objects.count() == 5
