"""The data folder and what must answer before the first process starts."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

from core.errors import Conflict, Invalid
from project.databases import sqlite
from project.env import SettingError, data_folder, env_secret
from project.supervisor import storage
from tests.nobody import NOBODY, as_nobody, needs_root


def sentence(work: Callable[[], Any]) -> str:
    """What `work` is refused with."""
    try:
        work()
    except SettingError as error:
        return str(error)
    return "no refusal"


@needs_root
@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_data_folder_that_cannot_be_written_is_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    folder = Path(os.environ["TERTULIA_HOME"]).parent / f"locked-{os.getpid()}-{mode}"
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    folder.chmod(mode)
    monkeypatch.setenv("TERTULIA_HOME", str(folder / "data"))
    try:
        text = as_nobody(lambda: sentence(data_folder))
    finally:
        folder.rmdir()
    assert (
        text == f"the data folder {folder}/data cannot be used (Permission denied); set TERTULIA_HOME to a folder you may write."
    )


@needs_root
def test_a_data_folder_of_somebody_else_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(os.environ["TERTULIA_HOME"]).parent / f"foreign-{os.getpid()}"
    folder.mkdir(mode=0o755)
    monkeypatch.setenv("TERTULIA_HOME", str(folder))
    try:
        text = as_nobody(lambda: sentence(data_folder))
    finally:
        folder.rmdir()
    assert text.startswith(f"the data folder {folder} ")
    assert text.endswith("set TERTULIA_HOME to a folder you may write.")


def test_a_data_folder_that_others_could_open_is_closed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o755)
    monkeypatch.setenv("TERTULIA_HOME", str(tmp_path / "data"))
    assert data_folder().stat().st_mode & 0o777 == 0o700


def test_keys_and_database_are_made_for_their_user_alone_under_a_loose_umask(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        env_secret("TERTULIA_NOT_SET", tmp_path / "secret.key")
        sqlite(tmp_path / "hub.sqlite3", busy=1, synchronous="NORMAL")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_a_database_of_a_newer_hub_is_refused(db: None) -> None:
    MigrationRecorder(connection).record_applied("chat", "9999_from_the_future")
    with pytest.raises(Conflict, match=r"^A newer version of the hub wrote this database \(chat 9999_from_the_future\); update"):
        storage.check_database()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("", r"^The database file .* cannot be used \(file is not a database\); restore it from a backup\.$"),
        ("postgresql://h/d", r"^The database does not answer \(file is not a database\); start it, or correct DATABASE_URL\.$"),
    ],
)
def test_a_database_that_cannot_be_opened_is_one_sentence(
    settings: Any, monkeypatch: pytest.MonkeyPatch, url: str, sentence: str
) -> None:
    def broken() -> None:
        raise DatabaseError("file is not a database\nand a second line")

    settings.DATABASE_URL = url
    monkeypatch.setattr(storage, "connection", type("Broken", (), {"ensure_connection": staticmethod(broken)}))
    with pytest.raises(Invalid, match=sentence):
        storage.check_database()


def test_a_redis_that_does_not_answer_is_one_sentence_without_its_password(settings: Any) -> None:
    settings.REDIS_URL = "redis://:hunter2@127.0.0.1:1/0"
    with pytest.raises(Invalid, match=r"^Redis does not answer \(.*\); start it, or correct REDIS_URL\.$") as refusal:
        storage.check_redis()
    assert "hunter2" not in refusal.value.detail


def test_the_embedded_default_asks_no_redis(settings: Any) -> None:
    settings.REDIS_URL = ""
    storage.check_redis()


def test_the_reason_of_a_refusal_is_its_first_line_without_secrets() -> None:
    assert storage.reason(OperationalError("no\nsecond")) == "no"
    assert storage.reason(OperationalError("postgresql://ana:hunter2@h/d is down")) == "postgresql://[removed]@h/d is down"
    assert storage.reason(OperationalError()) == "OperationalError"


def test_an_up_to_date_database_needs_no_step(db: None) -> None:
    storage.check_database()
    assert storage.migrate() == 0
