"""T-72: the journal beside the database."""

import errno
import json
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction

from audit import actions as audit
from audit.journal import Journal
from audit.models import Entry
from chat.actions import post
from chat.grants.actions import end_stale, grant, revoke
from chat.models import Attendance
from chat.values import Draft
from core.actor import system
from core.errors import DomainError
from tests import make
from tests.clock import Clock
from tests.nobody import NOBODY, as_nobody, needs_root
from tests.running.hub import ROOT

WRITER = """
import sys
from pathlib import Path
from audit.journal import Journal
journal = Journal(Path(sys.argv[1]), most_bytes=int(sys.argv[3]))
for number in range(int(sys.argv[4])):
    journal.append(f"{sys.argv[2]} {number} " + "x" * 80)
"""


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that deeds of this test are written to."""
    file = tmp_path / "audit.jsonl"
    monkeypatch.setattr(audit, "journal", Journal(file))
    return file


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.django_db(transaction=True)
def test_t_72_it_has_grants_revokes_stale_removals_refusals_and_wake_decisions_but_no_text(
    journal: Path, alice: make.Person, clock: Clock
) -> None:
    lead, stale = make.launch(alice, profile="lead"), make.launch(alice, profile="worker")
    with pytest.raises(DomainError):
        grant(alice.actor, launch_key=lead.key, typed="wrong")
    grant(alice.actor, launch_key=lead.key, typed="lead", wake=True)
    grant(alice.actor, launch_key=stale.key, typed="worker")
    Attendance.objects.filter(launch=lead).update(status="busy", status_at=clock())
    post(make.agent(alice), Draft(body="@lead the sesame is open", session_name="peer"))
    with transaction.atomic():
        end_stale(stale, reason="its process ended")
    revoke(alice.actor, launch_key=lead.key)
    told = [(line["deed"], line["target_label"]) for line in lines(journal)]
    assert told == [
        ("account.created", "alice@example.org"),
        ("chat.grant_refused", ""),
        ("chat.granted", "lead"),
        ("chat.granted", "worker"),
        ("chat.wake", "@lead"),
        ("chat.stale", "worker"),
        ("chat.revoked", "lead"),
    ]
    assert [line["id"] for line in lines(journal)] == list(Entry.objects.order_by("id").values_list("id", flat=True))
    assert "sesame" not in journal.read_text() and "lead" in journal.read_text()


@pytest.mark.django_db(transaction=True)
def test_t_72_what_was_rolled_back_was_never_done(journal: Path) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        audit.record(system(), "never.done")
        raise ZeroDivisionError
    audit.record(system(), "was.done")
    assert [line["deed"] for line in lines(journal)] == ["was.done"]


def test_t_72_only_its_owner_reads_it_whatever_the_umask(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    before = os.umask(0)
    try:
        Journal(file).append("one")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        file.chmod(0o644)
        Journal(file).append("two")
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and file.read_text() == "one\ntwo\n"


@pytest.mark.django_db(transaction=True)
def test_t_72_folder_database_and_side_files_are_private() -> None:
    audit.record(system(), "was.done")
    home = Path(settings.TERTULIA_HOME)
    kept = [home / "audit.jsonl", *home.glob("*.sqlite3*")]
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}


def test_t_72_it_rotates_at_a_mebibyte_and_keeps_four(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    journal, line = Journal(file), "x" * (256 * 1024 - 1)
    for number in range(4 * 6 + 1):
        journal.append(f"{number:02}{line[2:]}")
    sizes = {path.name: path.stat().st_size for path in sorted(tmp_path.iterdir())}
    full = 1024 * 1024
    assert sizes == {"audit.jsonl": full // 4, **{f"audit.jsonl.{number}": full for number in range(1, 5)}}
    assert (file.read_text()[:2], file.with_name("audit.jsonl.1").read_text()[:2]) == ("24", "20")
    assert file.with_name("audit.jsonl.4").read_text()[:2] == "08"
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_t_72_several_processes_at_once_lose_no_line(tmp_path: Path) -> None:
    file, writers, each = tmp_path / "audit.jsonl", 4, 300
    most = writers * each * 100 // 4
    command = [sys.executable, "-c", WRITER, str(file)]
    started = [subprocess.Popen([*command, str(writer), str(most), str(each)], cwd=ROOT) for writer in range(writers)]
    assert [process.wait(60) for process in started] == [0] * writers
    found = [line.split()[:2] for path in tmp_path.iterdir() for line in path.read_text().splitlines()]
    assert len(list(tmp_path.iterdir())) > 2
    assert sorted(found) == sorted([str(writer), str(number)] for writer in range(writers) for number in range(each))


def test_a_stuck_neighbour_delays_a_line_and_loses_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    monkeypatch.setattr("audit.journal.PATIENCE", 0)
    file = tmp_path / "audit.jsonl"
    with file.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        Journal(file, most_bytes=1).append("all the same")
    assert file.read_text() == "all the same\n"


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the journal told the log."""
    told: list[str] = []
    monkeypatch.setattr("audit.journal.log.warning", lambda event, **more: told.append(more["reason"]), raising=False)
    yield told


def test_a_full_disk_fails_no_deed_leaves_no_half_line_and_is_told_once(tmp_path: Path, warnings: list[str]) -> None:
    journal, (soft, hard) = Journal(tmp_path / "audit.jsonl"), resource.getrlimit(resource.RLIMIT_FSIZE)
    journal.append("x" * 9)
    resource.setrlimit(resource.RLIMIT_FSIZE, (15, hard))
    try:
        for _ in range(3):
            journal.append("y" * 9)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "audit.jsonl").read_text() == "x" * 9 + "\n" and len(warnings) == 1
    journal.append("z" * 9)
    assert (tmp_path / "audit.jsonl").read_text().endswith("\n" + "z" * 9 + "\n")


@pytest.mark.django_db(transaction=True)
def test_a_journal_that_cannot_be_opened_fails_no_deed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warnings: list[str]
) -> None:
    (tmp_path / "aside").write_text("")
    monkeypatch.setattr(audit, "journal", Journal(tmp_path / "aside" / "audit.jsonl"))
    audit.record(system(), "was.done")
    assert Entry.objects.get().deed == "was.done" and warnings == [os.strerror(errno.ENOTDIR)]


@needs_root
def test_t_72_in_a_folder_of_somebody_else_it_is_left_out(warnings: list[str]) -> None:
    folder = Path(os.environ["TERTULIA_HOME"]).parent / f"foreign-{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        assert as_nobody(lambda: _told(folder, warnings)) == os.strerror(errno.EACCES)
        os.chown(folder, NOBODY, NOBODY)
        assert as_nobody(lambda: _told(folder, warnings)) == ""
        assert (folder / "audit.jsonl").read_text() == "one\n" and (folder / "audit.jsonl").stat().st_uid == NOBODY
    finally:
        (folder / "audit.jsonl").unlink(missing_ok=True)
        folder.rmdir()


def _told(folder: Path, warnings: list[str]) -> str:
    Journal(folder / "audit.jsonl").append("one")
    return "".join(warnings)
