"""The line to the hub: held, broken, come back to; the agent never notices."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tertulia.launch import link as links
from tertulia.launch.access import Access
from tertulia.launch.link import Link
from tertulia.launch.runtime import Running
from tertulia.problems import Problem
from tertulia.store.credentials import SignIn

from tests.launcher.conftest import Launch
from tests.launcher.stub import Stub
from tests.launcher.waiting import until

CODES = [4401, 4404, 4409, 4410, 1012]


def test_after_any_close_it_registers_with_its_own_credential_and_comes_back(hub: Stub, launch: Launch) -> None:
    launch().tells(connected=True)
    for turn, code in enumerate(CODES, 2):
        hub.settled()
        hub.hang_up(code)
        until(lambda turn=turn: len(hub.opened) == turn)  # type: ignore[misc]
    assert len({(told["key"], told["credential"]) for told in hub.registered}) == 1
    hub.settled()


def test_a_token_that_ran_out_is_refreshed_before_the_line_is_held(hub: Stub, launch: Launch) -> None:
    hub.tokens = set()
    launch().tells(connected=True)
    assert hub.opened[0]["authorization"] == "Bearer access-2"


def test_while_the_hub_is_away_the_agent_runs_and_doctor_can_tell(hub: Stub, launch: Launch) -> None:
    hub.away = True
    launched = launch()
    until(lambda: launched.facts["last_error"])
    assert launched.facts["connected"] is False and launched.run("echo still here") == ["still here", "done 0"]
    hub.away = False
    launched.tells(connected=True, last_error="")


def test_a_hub_that_talks_nonsense_is_come_back_to(hub: Stub, launch: Launch) -> None:
    launched = launch()
    launched.tells(connected=True)
    for frame in ({"type": "wake"}, {"type": "hook", "id": "x"}, {"type": 7}, {"type": "hook", "id": 99, "text": 5}):
        hub.say(frame)
    hub.say({"type": "error", "detail": "slow down"})
    launched.tells(last_error="slow down", connected=True)
    hub.say([1, 2])  # type: ignore[arg-type]
    hub.settled()
    assert len(hub.opened) == 1


def test_it_beats_with_what_it_sees_of_the_pane(hub: Stub, launch: Launch) -> None:
    launch().tells(connected=True)
    hub.settled()
    assert {frame["pane_state"] for frame in hub.said("beat")} == {"none"}


def test_a_look_at_the_pane_that_takes_long_is_not_told_after_a_later_one(tmp_path: Path) -> None:
    told: list[str] = []

    class Line:
        async def send(self, frame: str) -> None:
            told.append(json.loads(frame)["pane_state"])

    async def run() -> None:
        slow, looks = asyncio.Event(), iter(["claimed", "replaced"])

        async def look() -> str:
            if (seen := next(looks)) == "claimed":
                await slow.wait()
            return seen

        held = SignIn("http://127.0.0.1:9", "c", "a", "r", "", "")
        link = Link(Access(held), Running("l-1", folder=str(tmp_path)), facts, look, "secret")
        link._line = Line()  # type: ignore[assignment]
        for _ in range(2):
            await link._take('{"type": "pane"}')
        asyncio.get_running_loop().call_later(0.05, slow.set)
        await asyncio.gather(*link._beside)

    asyncio.run(run())
    assert told == ["claimed", "replaced"]


async def facts() -> dict[str, Any]:
    return {}


class Stop(Exception):
    """Ends an endless loop."""


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the link pauses, and never does; the seventh ends it."""
    taken: list[float] = []

    async def pause(seconds: float) -> None:
        taken.append(seconds)
        if len(taken) == 9:
            raise Stop

    monkeypatch.setattr(links.asyncio, "sleep", pause)
    monkeypatch.setattr(links.world, "chance", lambda: 1.0)
    return taken


def test_pauses_double_from_half_a_second_to_thirty_and_begin_anew_once_the_hub_was_back(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def run() -> None:
        held = SignIn("http://127.0.0.1:9", "c", "a", "r", "", "")
        link = Link(Access(held), Running("l-1", folder=str(tmp_path)), facts, facts, "secret")  # type: ignore[arg-type]

        async def away(*_: Any, **how: Any) -> None:
            if len(pauses) == 7:
                await link._take('{"type": "state", "granted": false}')
            raise Problem("The hub is away.")

        monkeypatch.setattr(link._access, "ask", away)
        await link.run()

    with pytest.raises(Stop):
        asyncio.run(run())
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 0.5, 1]
