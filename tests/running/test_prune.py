"""Every registered pruning, by the hourly task and by `manage.py prune`."""

import io
import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from core.actor import Actor, Door
from core.registry import prunings
from project.management.commands.prune import as_lines
from project.schedules import SCHEDULES
from project.tasks import prune
from project.tidying import Tidied


class Shelf:
    """A pruning over rows that are none."""

    def __init__(self, rows: int, *, fails: bool = False) -> None:
        self.rows = rows
        self.fails = fails
        self.actors: list[Actor] = []

    def __call__(self, *, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
        self.actors.append(actor)
        if self.fails:
            raise RuntimeError("disk on fire")
        if dry_run:
            return self.rows
        gone, self.rows = self.rows, 0
        progress(gone)
        return gone


@pytest.fixture
def shelves(monkeypatch: pytest.MonkeyPatch) -> dict[str, Shelf]:
    """Three kinds; the one in the middle fails."""
    made = {"old messages": Shelf(7), "spent tokens": Shelf(1, fails=True), "old sign-ins": Shelf(3)}
    monkeypatch.setattr(prunings, "_items", dict(made))
    return made


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("prune", *arguments, stdout=out)
    return out.getvalue()


def test_the_task_runs_every_pruning_as_the_hub_and_one_that_fails_stops_no_other(
    shelves: dict[str, Shelf], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        prune()
    assert (shelves["old messages"].rows, shelves["old sign-ins"].rows) == (0, 0)
    assert all(actor.is_system and actor.door == Door.TASK for shelf in shelves.values() for actor in shelf.actors)
    told = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    pruned = {each["kind"]: each["rows"] for each in told if each["event"] == "pruned"}
    assert pruned == {"old messages": 7, "old sign-ins": 3}
    assert [each["kind"] for each in told if each["event"] == "prune_failed"] == ["spent tokens"]


def test_a_dry_run_counts_and_takes_nothing(shelves: dict[str, Shelf]) -> None:
    shelves["spent tokens"].fails = False
    assert run("--dry-run").split("\n")[:3] == [
        "old messages  7 would go",
        "spent tokens  1 would go",
        "old sign-ins  3 would go",
    ]
    assert shelves["old messages"].rows == 7


def test_the_command_tells_how_many_rows_of_each_kind_went(shelves: dict[str, Shelf]) -> None:
    shelves["spent tokens"].fails = False
    assert json.loads(run("--json")) == [
        {"kind": "old messages", "rows": 7},
        {"kind": "spent tokens", "rows": 1},
        {"kind": "old sign-ins", "rows": 3},
    ]
    assert run("--json") != ""
    assert shelves["old messages"].rows == 0


def test_a_kind_that_fails_is_named_in_one_line_after_the_others_went(shelves: dict[str, Shelf]) -> None:
    with pytest.raises(CommandError, match=r"^Not everything could be pruned: spent tokens \(RuntimeError\); the rest is done.$"):
        run()
    assert shelves["old sign-ins"].rows == 0


def test_a_database_without_tables_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(**arguments: Any) -> int:
        raise OperationalError("no such table: chat_message")

    monkeypatch.setattr(prunings, "_items", {"old messages": gone})
    with pytest.raises(CommandError, match=r"run `manage.py migrate`"):
        run()


def test_a_hub_without_anything_to_prune_says_so_of_each_kind(db: None) -> None:
    lines = run().strip().splitlines()
    assert len(lines) == len(prunings.names())
    assert all(line.endswith("0 went") for line in lines)


def test_a_failed_kind_is_shown_as_failed() -> None:
    assert as_lines([Tidied("a", None), Tidied("bcd", 2)], "went") == "a    failed\nbcd  2 went"


def test_beat_sends_the_pruning_every_hour_to_the_short_queue() -> None:
    entry: dict[str, Any] = SCHEDULES["prune"]
    assert entry["task"] == prune.name
    assert entry["options"]["queue"] == "short"
    assert len(entry["schedule"].hour) == 24
    assert len(entry["schedule"].minute) == 1
