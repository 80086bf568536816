"""`manage.py channel export` and `import`."""

import io
import json
import stat
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from audit.models import Entry
from tests import make
from tests.push_verbs.firing import notify_rule
from tests.pushing import push_many, pushed
from triggers.models import Firing, PushMessage


def channel(*arguments: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("channel", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_journal_goes_out_and_comes_in_elsewhere_read_and_past_every_rule(
    alice: make.Person, bob: make.Person, tmp_path: Path
) -> None:
    push_many(alice, 3)
    notify_rule(bob)
    file = tmp_path / "channels.jsonl"
    assert channel("export", str(file), "--account", "alice@example.org")[0].startswith("3 messages exported to ")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and len(file.read_text().splitlines()) == 3
    assert channel("import", str(file), "--account", "bob@example.org")[0] == "3 messages stored, 0 there already\n"
    assert channel("import", str(file), "--account", "bob@example.org")[0] == "0 messages stored, 3 there already\n"
    brought = PushMessage.objects.filter(account=bob.account)
    assert [(row.seq, row.unread, row.imported) for row in brought] == [(n, False, True) for n in (1, 2, 3)]
    assert not Firing.objects.exists() and pushed(bob).seq == 4
    assert set(Entry.objects.filter(door="command").values_list("deed", flat=True)) >= {"push.exported", "push.imported"}


def test_one_bad_line_costs_itself_and_makes_the_exit_code_1(alice: make.Person, tmp_path: Path) -> None:
    file = tmp_path / "channels.jsonl"
    good = json.dumps({"seq": 7, "time": "2026-11-30T08:00:00Z", "server": "ci", "channel": "builds", "content": "ok"})
    file.write_text(f"nonsense\n{good}\n" + "[]\n" * 30)
    with pytest.raises(CommandError, match="31 lines were left out") as refusal:
        channel("import", str(file))
    assert refusal.value.returncode == 1 and PushMessage.objects.get().seq == 7


def test_reasons_are_told_for_the_first_and_the_rest_is_counted(alice: make.Person, tmp_path: Path) -> None:
    file = tmp_path / "channels.jsonl"
    file.write_text("[]\n" * 30)
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(CommandError):
        call_command("channel", "import", str(file), stdout=out, stderr=err)
    assert err.getvalue().count("channels.jsonl, line ") == 20 and "… and 10 more lines" in err.getvalue()


def test_standard_output_takes_the_lines_alone(alice: make.Person) -> None:
    push_many(alice, 2)
    assert [json.loads(line)["seq"] for line in channel("export", "-")[0].splitlines()] == [1, 2]


def test_standard_input_is_read(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps({"channel": "builds", "content": "ok"}).encode() + b"\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(line)))
    assert channel("import", "-")[0] == "1 message stored, 0 there already\n"


def test_a_file_that_is_there_is_replaced_only_where_that_is_meant(alice: make.Person, tmp_path: Path) -> None:
    file = tmp_path / "channels.jsonl"
    file.write_text("mine")
    with pytest.raises(CommandError):
        channel("export", str(file))
    assert file.read_text() == "mine"
    channel("export", str(file), "--force")
    assert file.read_text() == ""


@pytest.mark.parametrize("names", [("nowhere.jsonl",), ("-", "x"), ("a\0b",), (".",)])
def test_what_cannot_be_read_is_one_sentence(alice: make.Person, names: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as refusal:
        channel("import", *names)
    assert "\n" not in str(refusal.value)
