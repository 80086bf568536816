"""The exported file: private, whole or not there; and who may make one."""

import errno
import io
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from chat.transfer import actions
from chat.transfer.exporting import export
from core.actor import Actor, Door, operator, system
from core.errors import Forbidden
from tests import make


def chat(*arguments: str, out: io.StringIO | None = None) -> str:
    written = out or io.StringIO()
    call_command("chat", *arguments, stdout=written, stderr=io.StringIO())
    return written.getvalue()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_the_file_is_its_owners_alone_whatever_the_umask(umask: int, alice: make.Person, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        chat("export", str(tmp_path / "chat.jsonl"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "chat.jsonl").stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["chat.jsonl"]


def test_a_file_that_is_there_is_kept_unless_force_is_said(alice: make.Person, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text("precious")
    file.chmod(0o644)
    with pytest.raises(CommandError, match="is there already; give another file, or --force"):
        chat("export", str(file))
    assert file.read_text() == "precious"
    chat("export", str(file), "--force")
    assert "tertulia-chat" in file.read_text() and stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_what_is_no_regular_file_is_never_replaced(force: tuple[str, ...], alice: make.Person, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path / "link", tmp_path / "pipe", tmp_path, Path("/dev/null")):
        with pytest.raises(CommandError, match="is no regular file"):
            chat("export", str(name), *force)
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize("name", ["nowhere/chat.jsonl", "x" * 300, "a\x00b"])
def test_a_place_that_cannot_be_written_is_one_sentence(name: str, alice: make.Person, tmp_path: Path) -> None:
    with pytest.raises(CommandError) as refusal:
        chat("export", str(tmp_path / name))
    assert "be written" in str(refusal.value) and "\n" not in str(refusal.value)


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_full_disk_is_one_sentence_and_leaves_no_half_file(
    force: tuple[str, ...], alice: make.Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.message(alice)
    file = tmp_path / "chat.jsonl"
    if force:
        file.write_text("the last one")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CommandError, match=r"No space left on device\), and nothing is left of it"):
        chat("export", str(file), *force)
    assert [each.name for each in tmp_path.iterdir()] == (["chat.jsonl"] if force else [])
    assert not force or file.read_text() == "the last one"


def test_ctrl_c_leaves_no_half_file(alice: make.Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make.message(alice)

    def stopped(line: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("chat.transfer.exporting.text_of", stopped)
    with pytest.raises(CommandError, match="Stopped"):
        chat("export", str(tmp_path / "chat.jsonl"))
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_gets_no_messages(alice: make.Person) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    make.message(alice, "secretword")
    screen = Terminal()
    with pytest.raises(CommandError, match="Standard output is a terminal"):
        chat("export", "-", out=screen)
    assert screen.getvalue() == ""


def test_it_speaks_of_one_account(alice: make.Person, bob: make.Person, tmp_path: Path) -> None:
    make.message(alice, "alices")
    make.message(bob, "bobs")
    with pytest.raises(CommandError, match="--account"):
        chat("export", str(tmp_path / "x"))
    chat("export", str(tmp_path / "x"), "--account", "Bob@example.org")
    text = (tmp_path / "x").read_text()
    assert "bobs" in text and "alices" not in text


DEEDS: dict[str, Callable[[Actor, int], Any]] = {
    "export": lambda actor, account_id: export(
        actor, io.StringIO(), account_id=account_id, email="", to="", progress=lambda more: None
    ),
    "begin_import": lambda actor, account_id: actions.begin_import(actor, account_id=account_id, source=""),
    "store_batch": lambda actor, account_id: actions.store_batch(actor, account_id=account_id, lines=[]),
    "end_import": lambda actor, account_id: actions.end_import(actor, account_id=account_id, source=""),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_nobody_but_a_shell_exports_or_imports(deed: str, alice: make.Person, staff: make.Person) -> None:
    account_id = alice.account.pk
    agent = make.agent(alice)
    by_command = Actor(door=Door.COMMAND, account_id=account_id, connection_id=agent.connection_id, scopes=agent.scopes)
    for actor in (alice.actor, agent, staff.actor, by_command, system(account_id=account_id)):
        with pytest.raises(Forbidden, match="at a shell on the hub's machine"):
            DEEDS[deed](actor, account_id)
    DEEDS[deed](operator(account_id), account_id)
