"""The launcher's line: what it is told, what it tells, how it ends."""

import json
from datetime import timedelta
from typing import Any

from accounts.launches.news import launch_key
from accounts.models import Launch
from chat.launcher.news import pane_key
from core import clock, news
from core.tools import tools_key
from tests import make
from tests.asgi import hub, run, sync, until
from tests.launches.launcher import registered

UNGRANTED = {"type": "state", "verified": True, "granted": False, "was_granted": False, "handle": None, "wake": False}


def test_a_launcher_hears_its_state_at_once(alice: make.Person) -> None:
    launcher = registered(alice)

    async def scene() -> Any:
        async with hub() as app, launcher.line(app) as line:
            return await line.hear()

    assert run(scene()) == {**UNGRANTED, "launch": launcher.body["key"]}


def test_a_beat_keeps_the_launch_alive_and_tells_of_its_pane(alice: make.Person) -> None:
    launcher = registered(alice)
    Launch.objects.update(seen_at=clock.now() - timedelta(minutes=1))

    async def scene() -> None:
        async with hub() as app, launcher.line(app) as line:
            await line.hear()
            line.say(json.dumps({"type": "beat", "pane_state": "replaced"}))
            await until(lambda: sync(lambda: launcher.launch.pane_state == "replaced"))

    run(scene())
    assert launcher.launch.seen_at > clock.now() - timedelta(seconds=30)


def test_a_launcher_hears_that_tools_may_have_changed_and_that_its_pane_is_asked_for(alice: make.Person) -> None:
    launcher = registered(alice)
    launch = launcher.launch

    async def scene() -> list[Any]:
        async with hub() as app, launcher.line(app) as line:
            await line.hear()
            heard = []
            for key in (tools_key(alice.account.pk), pane_key(launch.pk)):
                news.board.ring([key])
                heard.append(await line.hear())
            return heard

    assert run(scene()) == [{"type": "tools"}, {"type": "pane"}]


def test_the_end_it_tells_ends_the_launch_and_the_line(alice: make.Person) -> None:
    launcher = registered(alice)
    launch = launcher.launch

    async def scene() -> int | None:
        async with hub() as app, launcher.line(app) as line:
            await line.hear()
            line.say(json.dumps({"type": "end", "exit_status": 3, "reason": "the process ended"}))
            await until(lambda: sync(lambda: not launcher.launch.is_live))
            news.board.ring([launch_key(launch.pk)])
            assert await line.hear() is None
            return line.code

    assert run(scene()) == 4410
    assert (launcher.launch.exit_status, launcher.launch.end_reason) == (3, "the process ended")
