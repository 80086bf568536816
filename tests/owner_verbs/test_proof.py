"""The owner shows himself afresh: by password, or in a browser; what he gets for it is kept nowhere."""

import os
from pathlib import Path

import httpx
import pytest
from tertulia.owner import Owner, at_terminal
from tertulia.signing import Hub
from tertulia.store.credentials import Credentials
from tertulia.surroundings import world
from tertulia.wire import Wire

from tests.client.conftest import Cli
from tests.client.stub import HUB, Stub, answer, bearers, page, refused
from tests.owner_verbs.conftest import PASSWORD, TOKEN, Person

ARCHIVE, APPROVALS, APPROVAL = "/api/topics/archive/", "/api/proof/approvals/", "/api/proof/approvals/token/"
ASKED = {"code": "WDJB-MJHT", "secret": "s-1", "address": f"{HUB}/approve/?code=WDJB-MJHT", "expires_at": "2026-11-29T23:00:00Z"}


def test_the_password_is_asked_unseen_and_opens_one_deed(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(ARCHIVE, answer(200, {}))
    said = cli("chat", "topic-archive", "docs")
    assert said.out == "Archived the topic docs.\n" and bearers(hub.to(ARCHIVE)) == [TOKEN]
    assert person.read == [f"Password of alice@example.org at {HUB} (Enter alone: approve in a browser): "]


def test_a_wrong_password_is_asked_again_and_only_so_often(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(ARCHIVE, answer(200, {}))
    person.passwords = ["x", PASSWORD]
    said = cli("chat", "topic-archive", "docs")
    assert said.code == 0 and said.err.count("not the password") == 1
    person.passwords = ["x", "y", "z", PASSWORD]
    assert cli("chat", "topic-archive", "docs").code == 5 and person.passwords == [PASSWORD]


def test_neither_the_password_nor_the_token_is_written_or_said(hub: Stub, cli: Cli, person: Person, home: Path) -> None:
    hub.says(ARCHIVE, refused(400, "invalid", f"No {TOKEN} and {PASSWORD}."))
    said = cli("chat", "topic-archive", "docs")
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert TOKEN not in said.err + said.out and TOKEN.encode() not in kept and PASSWORD.encode() not in kept
    assert TOKEN not in "".join(map(str, os.environ.values()))


def test_in_a_browser_the_owner_approves_and_the_terminal_waits(hub: Stub, cli: Cli, person: Person) -> None:
    opened: list[str] = []
    world.has_browser, world.open_browser = lambda: True, opened.append
    hub.says(APPROVALS, answer(201, ASKED)).says(ARCHIVE, answer(200, {}))
    hub.says(APPROVAL, answer(202, {"state": "pending"}), answer(202, {"state": "pending"}), answer(200, {"token": TOKEN}))
    said = cli("chat", "topic-archive", "docs", "--browser", "--undo")
    assert said.out == "Opened the topic docs again.\n" and opened == [ASKED["address"]] and "WDJB-MJHT" in said.err
    assert bearers(hub.to(ARCHIVE)) == [TOKEN] and not person.read and hub.bodies(APPROVAL) == [{"secret": "s-1"}] * 3


def test_enter_alone_goes_to_the_browser(hub: Stub, cli: Cli, person: Person) -> None:
    person.passwords = [""]
    hub.says(APPROVALS, answer(201, ASKED)).says(APPROVAL, answer(200, {"token": TOKEN})).says(ARCHIVE, answer(200, {}))
    assert cli("chat", "topic-archive", "docs").code == 0 and not hub.to("/api/proof/")


def test_a_refusal_in_the_browser_and_silence_are_refusals(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(APPROVALS, answer(201, ASKED)).says(APPROVAL, refused(403, "proof_refused", "You refused it in the browser."))
    assert cli("chat", "prune", "--browser").code == 5
    hub.says(APPROVAL, answer(202, {"state": "pending"}))
    said = cli("chat", "prune", "--browser")
    assert said.code == 5 and "Nobody approved in the browser in time" in said.err


@pytest.mark.parametrize("address", ["https://evil.test/approve/?code=1", None, f"{HUB}.evil.test/"])
def test_an_address_that_is_not_the_hubs_is_not_opened(hub: Stub, cli: Cli, person: Person, address: str | None) -> None:
    world.has_browser, world.open_browser = lambda: True, lambda at: pytest.fail(at)
    hub.says(APPROVALS, answer(201, {**ASKED, "address": address}))
    assert cli("chat", "prune", "--browser").code == 1


def test_without_a_terminal_nobody_is_the_owner(hub: Stub, cli: Cli, person: Person) -> None:
    world.interactive = lambda: False
    assert cli("chat", "prune").code == 5 and not hub.asked


def test_after_five_minutes_the_owner_is_asked_again_and_goes_on(hub: Stub, person: Person) -> None:
    person.passwords = [PASSWORD, PASSWORD]
    hub.says("/api/wait/", page(), refused(401, "invalid_token", "Ended."), page())
    with Wire(HUB) as wire:
        owner = Owner(Hub(wire, Credentials().find(None)), at_terminal(browser=False))
        owner.ask("GET", "/api/wait/")
        owner.ask("GET", "/api/wait/")
    assert len(hub.to("/api/proof/")) == 2 and len(hub.to("/api/wait/")) == 3


def test_the_sign_in_that_asks_for_the_proof_is_refreshed_on_the_way(hub: Stub, cli: Cli, person: Person) -> None:
    hub.signs_in()
    hub.says("/api/proof/", refused(401, "invalid_token", "Expired."), httpx.Response(201, json={"token": TOKEN}))
    hub.says(ARCHIVE, answer(200, {}))
    assert cli("chat", "topic-archive", "docs").code == 0 and bearers(hub.to("/api/proof/")) == ["access-old", "access-fresh"]
