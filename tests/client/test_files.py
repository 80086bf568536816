"""What the client keeps: private, replaced whole, one writer at a time, and told in a sentence when it cannot be."""

import errno
import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from tertulia.signing import Hub
from tertulia.store.credentials import Credentials
from tertulia.store.files import PrivateFile, folder
from tertulia.store.marks import Marks
from tertulia.surroundings import world
from tertulia.wire import Wire

from tests.client.conftest import Cli, Owner
from tests.client.stub import HUB, Stub, answer, bearers, message, page, refused, signed_in, tokens


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_everything_is_its_users_alone_whatever_the_umask(home: Path) -> None:
    before = os.umask(0)
    try:
        signed_in()
        Marks(HUB, "reader").move(1)
    finally:
        os.umask(before)
    assert mode(home) == 0o700 and {mode(path) for path in home.iterdir()} == {0o600}


def test_the_folder_follows_the_platform(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TERTULIA_CLIENT_HOME")
    monkeypatch.setenv("HOME", "/home/alice")
    assert folder() == Path("/home/alice/.config/tertulia")
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert folder() == Path("/home/alice/.config/tertulia")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/alice")
    assert folder() == Path("/etc/alice/tertulia")


@pytest.mark.parametrize("rights", [0o640, 0o604, 0o620])
def test_a_file_that_others_can_open_is_not_used(hub: Stub, cli: Cli, home: Path, rights: int) -> None:
    signed_in()
    (home / "credentials.json").chmod(rights)
    said = cli("chat", "wait")
    assert said.code == 1 and f"run: chmod 600 '{home}/credentials.json'" in said.err and not hub.asked


def test_a_folder_that_others_can_write_in_is_not_used(hub: Stub, cli: Cli, home: Path) -> None:
    home.mkdir(mode=0o700)
    home.chmod(0o777)
    said = cli("login", HUB)
    assert said.code == 1 and f"run: chmod 700 '{home}'" in said.err and not hub.asked


@pytest.mark.parametrize("text", ["", "{", "[]", '{"hubs": {"a": {"hub": 1}}}', "\x00", "[" * 100_000])
def test_a_damaged_file_is_told(hub: Stub, cli: Cli, home: Path, text: str) -> None:
    signed_in()
    (home / "credentials.json").write_text(text)
    said = cli("whoami")
    assert said.code == 1 and "is damaged; remove it" in said.err


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_the_sign_in_as_it_was_and_asks_for_no_new_token(
    hub: Stub, cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in()
    hub.says("/chat", refused(401, "invalid_token", "Expired."))
    monkeypatch.setattr("os.fsync", full)
    said = cli("chat", "wait")
    assert said.code == 1 and "no space left on device" in said.err and "Make room" in said.err
    assert not hub.to("/oauth/token") and Credentials().find(None).access_token == "access-old"
    assert sorted(path.name for path in home.iterdir()) == ["credentials.json", "credentials.json.lock"]


def test_a_full_disk_at_a_login_keeps_the_earlier_sign_in(
    hub: Stub, cli: Cli, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in()
    hub.signs_in()
    monkeypatch.setattr("os.fsync", full)
    assert "what it held is untouched" in cli("login", HUB).err and Credentials().find(None).refresh_token == "refresh-old"


def test_a_mark_that_cannot_be_kept_is_an_error_unless_the_caller_keeps_its_own(
    hub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in()
    hub.says("/chat", page(message(4)))
    monkeypatch.setattr("os.fsync", full)
    first, second = cli("chat", "wait"), cli("chat", "wait", "--after", "3")
    assert (first.code, second.code) == (1, 0) and "hello" in first.out and "no space left" in second.err


def test_a_reader_never_sees_half_a_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = PrivateFile("x.json")
    file.write({"a": 1})
    seen: list[Any] = []
    monkeypatch.setattr("os.fsync", lambda _: seen.append(file.read()))
    file.write({"a": 2})
    assert (seen, file.read()) == ([{"a": 1}], {"a": 2})


def test_a_token_refreshed_by_another_process_is_taken_over(hub: Stub) -> None:
    held = signed_in()
    Credentials().keep(signed_in(word="newer"))
    hub.says(
        "/chat", lambda request: page() if bearers([request]) == ["access-newer"] else refused(401, "invalid_token", "Expired.")
    )
    with Wire(HUB) as wire:
        Hub(wire, held).ask("GET", "/chat")
    assert not hub.to("/oauth/token")


def test_of_many_that_refresh_at_once_one_does_and_none_loses_the_new_token(hub: Stub) -> None:
    held = signed_in()
    hub.says("/oauth/token", tokens("new"), refused(400, "invalid_grant", "Spent."))
    hub.says(
        "/chat", lambda request: page() if bearers([request]) == ["access-new"] else refused(401, "invalid_token", "Expired.")
    )
    failed: list[Exception] = []

    def ask() -> None:
        try:
            with Wire(HUB) as wire:
                Hub(wire, held).ask("GET", "/chat")
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and len(hub.to("/oauth/token")) == 1
    assert Credentials().find(None).refresh_token == "refresh-new"


def test_marks_of_many_writers_are_all_kept(home: Path) -> None:
    threads = [threading.Thread(target=Marks(HUB, f"agent-{n}").move, args=(n + 1,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert json.loads((home / "marks.json").read_text())[HUB] == {f"agent-{n}": n + 1 for n in range(12)}


def test_a_refresh_that_the_hub_cannot_answer_ends_no_sign_in(hub: Stub, cli: Cli) -> None:
    signed_in()
    hub.says("/chat", refused(401, "invalid_token", "Expired.")).says("/oauth/token", answer(500, {"error": "server_error"}))
    world.interactive = lambda: True
    said = cli("chat", "wait")
    assert said.code == 1 and "failed (HTTP 500)" in said.err and Credentials().find(None).refresh_token == "refresh-old"
