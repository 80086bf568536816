"""The palette: grant, revoke, another pane; each dialog names what it is about."""

import json
import shlex
import subprocess
import sys
from typing import Any

import pytest
from textual.widgets import Input, OptionList

from tests.client.stub import HUB, answer, bearers, refused
from tests.owner_verbs.conftest import TOKEN, launch, listed
from tests.pane.conftest import Chat, Opened, Pane

pytestmark = pytest.mark.anyio
DEV = "l-fedcba9876543210"
GRANT, REVOKE = f"/api/launches/{DEV}/grant/", "/api/launches/l-0123456789abcdef/revoke/"


async def deed(pane: Pane, name: str, *, chosen: int = 0) -> None:
    """Choose a launch of the list, open the palette, type the deed's name and press Enter."""
    await pane.until(lambda: pane.app.board.launches)
    await pane.pilot.pause()
    pane.app.main.query_one("#launches", OptionList).highlighted = chosen
    await pane.pilot.press("ctrl+p")
    await pane.until(lambda: pane.app.screen.query("CommandInput"))
    pane.app.screen.query_one("CommandInput", Input).value = name
    await pane.until(lambda: first_found(pane).startswith(f"{name}\n"))
    await pane.pilot.press("enter")


def first_found(pane: Pane) -> str:
    """What the palette offers first."""
    found = pane.app.screen.query_one("CommandList", OptionList)
    return str(found.get_option_at_index(0).prompt) if found.option_count else ""


@pytest.mark.parametrize(("name", "wake"), [("Grant chat", False), ("Grant chat and wake", True)])
async def test_a_grant_names_pane_profile_and_launch_and_has_the_handle_typed(
    chat: Chat, opened: Opened, name: str, wake: bool
) -> None:
    chat.stub.says(GRANT, answer(200, {}))
    async with opened((80, 24)) as pane:
        await deed(pane, name, chosen=1)
        await pane.until(lambda: pane.app.screen.query("#typed"))
        await pane.pilot.pause()
        for shown in (name, "tmux %7", "dev", DEV, "@dev", "coworker steer"):
            assert shown in pane.screen
        pane.app.screen.query_one("#typed", Input).value = "dev"
        await pane.pilot.press("enter")
        await pane.proves()
        await pane.until(lambda: "Granted to @dev." in pane.told)
    assert chat.stub.bodies(GRANT) == [{"handle": "dev", "wake": wake, "typed": "dev"}]
    assert bearers(chat.stub.to(GRANT)) == [TOKEN]


async def test_a_handle_typed_wrong_is_refused_by_the_hub(chat: Chat, opened: Opened) -> None:
    chat.stub.says(GRANT, refused(400, "handle_not_typed", "Type the handle exactly: dev. Nothing was granted."))
    async with opened() as pane:
        await deed(pane, "Grant chat", chosen=1)
        await pane.until(lambda: pane.app.screen.query("#typed"))
        pane.app.screen.query_one("#typed", Input).value = "vde"
        await pane.pilot.press("enter")
        await pane.proves()
        await pane.until(lambda: "Type the handle exactly: dev. Nothing was granted." in pane.told)
    assert chat.stub.bodies(GRANT)[0]["typed"] == "vde"


async def test_a_revoke_is_asked_and_escape_is_no(chat: Chat, opened: Opened) -> None:
    chat.stub.says(REVOKE, answer(200, {}))
    async with opened() as pane:
        await deed(pane, "Revoke chat")
        await pane.until(lambda: pane.app.screen.query("#yes"))
        assert "l-0123456789abcdef" in pane.screen and "@boss" in pane.screen
        await pane.pilot.press("escape")
        await deed(pane, "Revoke chat")
        await pane.until(lambda: pane.app.screen.query("#yes"))
        await pane.pilot.click("#yes")
        await pane.proves()
        await pane.until(lambda: "Revoked @boss." in pane.told)
    assert len(chat.stub.to(REVOKE)) == 1


async def test_what_cannot_be_granted_or_revoked_is_told_before_anything_is_asked(chat: Chat, opened: Opened) -> None:
    async with opened() as pane:
        await deed(pane, "Grant chat", chosen=0)
        await pane.until(lambda: pane.told)
        await deed(pane, "Revoke chat", chosen=1)
        await pane.until(lambda: len(pane.told) == 2)
        assert len(pane.app.screen_stack) == 1


async def test_a_launch_by_its_own_words_is_inert_in_list_and_dialog(chat: Chat, opened: Opened) -> None:
    evil = "[red]x[/]\x1b[2J\u202e"
    chat.stub.says("/api/launches/", listed(launch(profile=evil, host=evil, pane=evil, suggested_handle=evil)))
    async with opened((120, 40)) as pane:
        await deed(pane, "Grant chat")
        await pane.until(lambda: pane.app.screen.query("#typed"))
        await pane.pilot.pause()
        assert "[red]x[/]\\x1b[2J\\u202e" in pane.screen
        assert all(character.isprintable() or character == "\n" for character in pane.screen)


async def test_post_to_chat_goes_to_the_line(chat: Chat, opened: Opened) -> None:
    async with opened() as pane:
        await deed(pane, "Post to chat")
        await pane.until(lambda: pane.line.has_focus)


@pytest.mark.parametrize("multiplexer", ["TMUX", "ZELLIJ"])
async def test_another_pane_is_opened_in_the_multiplexer(
    chat: Chat, opened: Opened, monkeypatch: pytest.MonkeyPatch, multiplexer: str
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 0)

    for name in ("TMUX", "ZELLIJ", "TMUX_PANE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(multiplexer, "0")
    monkeypatch.setattr("subprocess.run", run)
    async with opened() as pane:
        await deed(pane, "Open chat pane")
        await pane.until(lambda: ran)
    words = shlex.split(ran[0][-1]) if multiplexer == "TMUX" else ran[0]
    assert words[-6:] == [sys.executable, "-m", "tertulia", "chat", "--hub", HUB]
    assert ran[0][0] == multiplexer.lower() and any(word.startswith("TERTULIA_CLIENT_HOME=") for word in words)


async def test_without_a_multiplexer_it_says_what_to_do(chat: Chat, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "ZELLIJ"):
        monkeypatch.delenv(name, raising=False)
    async with opened() as pane:
        await deed(pane, "Open chat pane")
        await pane.until(lambda: any("under no multiplexer" in each for each in pane.told))
    assert json.dumps(pane.told).isascii()
