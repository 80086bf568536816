"""The launcher's line: what it is told and what it tells."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError

from accounts.launches.news import launch_key
from accounts.models import Launch
from chat.grants import actions as grants
from chat.launcher import line as line_module
from chat.launcher.news import pane_key
from chat.models import Wake
from core import clock, news
from core.tools import tools_key
from tests import make
from tests.asgi import hub, run, sync, until
from tests.launches.launcher import PROMPT, Launcher, begun, hear, registered, say

UNGRANTED = {
    "type": "state",
    "verified": True,
    "granted": False,
    "was_granted": False,
    "handle": None,
    "wake": False,
    "hooks": False,
}


def test_a_launcher_hears_its_state_at_once(alice: make.Person) -> None:
    launcher, unverified = registered(alice), registered(alice, start_token="")

    async def scene() -> list[Any]:
        async with hub() as app, launcher.line(app) as one, unverified.line(app) as two:
            return [await one.hear(), await two.hear()]

    assert run(scene()) == [
        {**UNGRANTED, "launch": launcher.body["key"]},
        {**UNGRANTED, "launch": unverified.body["key"], "verified": False},
    ]


def test_a_launcher_hears_of_its_grant_and_of_its_end_and_of_nothing_that_is_no_news(alice: make.Person) -> None:
    launcher = registered(alice)
    key, launch = launcher.body["key"], launcher.launch

    async def scene() -> list[Any]:
        async with hub() as app, launcher.line(app) as line:
            states = [await begun(line)]
            news.board.ring([launch_key(launch.pk)])
            sync(lambda: grants.grant(alice.actor, launch_key=key, wake=True, typed="lead"))
            news.board.ring([launch_key(launch.pk)])
            states.append(await hear(line, "state"))
            sync(lambda: grants.revoke(alice.actor, launch_key=key))
            news.board.ring([launch_key(launch.pk)])
            states.append(await hear(line, "state"))
            return states

    first, granted, revoked = run(scene())
    assert first["granted"] is False
    assert granted == {
        **UNGRANTED,
        "launch": key,
        "granted": True,
        "was_granted": True,
        "handle": "lead",
        "wake": True,
        "hooks": True,
    }
    assert revoked == {**UNGRANTED, "launch": key, "was_granted": True}


def test_a_beat_keeps_the_launch_alive_and_tells_of_its_pane(alice: make.Person) -> None:
    launcher = registered(alice)
    Launch.objects.update(seen_at=clock.now() - timedelta(minutes=1))

    async def scene() -> None:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, type="beat", pane_state="replaced")
            await until(lambda: sync(lambda: launcher.launch.pane_state == "replaced"))

    run(scene())
    assert launcher.launch.seen_at > clock.now() - timedelta(seconds=30)


def test_a_launcher_hears_that_tools_may_have_changed_and_that_its_pane_is_asked_for(alice: make.Person) -> None:
    launcher = registered(alice)
    launch = launcher.launch

    async def scene() -> list[Any]:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            heard = []
            for key in (tools_key(alice.account.pk), pane_key(launch.pk)):
                news.board.ring([key])
                heard.append(await line.hear())
            return heard

    assert run(scene()) == [{"type": "tools"}, {"type": "pane"}]


def test_a_hundred_hints_of_one_kind_are_told_once(alice: make.Person) -> None:
    launcher = registered(alice)

    async def scene() -> list[Any]:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            for _ in range(100):
                news.board.ring([tools_key(alice.account.pk)])
            first = await line.hear()
            say(line, **PROMPT)
            return [first, await line.hear()]

    assert [each["type"] for each in run(scene())] == ["tools", "hook"]


def asked_wake(launcher: Launcher, seq: int, who: make.Person) -> Wake:
    launch = launcher.launch
    wake: Wake = Wake.objects.create(account=who.account, launch=launch, seq=seq, outcome=Wake.PENDING, decided_at=clock.now())
    return wake


def test_a_wake_is_asked_once_a_line_and_its_answer_settles_it(alice: make.Person) -> None:
    launcher = registered(alice)
    make.granted(alice, wake=True, launch_=launcher.launch)
    first = asked_wake(launcher, 1, alice)
    launch = launcher.launch

    async def scene() -> list[Any]:
        async with hub() as app, launcher.line(app) as line:
            heard = [await begun(line), await line.hear()]
            second = sync(lambda: asked_wake(launcher, 2, alice))
            news.board.ring([launch_key(launch.pk)])
            heard.append(await line.hear())
            assert heard[-1]["id"] == second.pk
            say(line, type="wake", id=first.pk, outcome="focused", detail="copy mode")
            await until(lambda: sync(lambda: Wake.objects.get(pk=first.pk).outcome != Wake.PENDING))
            return heard

    assert [(each["type"], each.get("id")) for each in run(scene())][:2] == [("state", None), ("wake", first.pk)]
    first.refresh_from_db()
    assert (first.outcome, first.detail) == ("focused", "copy mode")


def test_no_launcher_settles_another_launchs_wake(alice: make.Person) -> None:
    launcher, other = registered(alice), registered(alice)
    make.granted(alice, wake=True, launch_=other.launch)
    wake = asked_wake(other, 1, alice)

    async def scene() -> None:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, type="wake", id=wake.pk, outcome="ok")
            say(line, type="beat", pane_state="exited")
            await until(lambda: sync(lambda: launcher.launch.pane_state == "exited"))

    run(scene())
    wake.refresh_from_db()
    assert wake.outcome == Wake.PENDING


def test_a_beat_that_finds_the_database_locked_is_left_to_the_next_one(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = registered(alice)
    real, tries = line_module.actions.beat, []

    class Locked(Exception):
        sqlite_errorname = "SQLITE_BUSY"

    def locked_once(actor: Any, *, pane_state: str) -> None:
        tries.append(pane_state)
        if len(tries) == 1:
            with line_module.actions.short_wait(0.1):
                raise OperationalError("database is locked") from Locked()
        real(actor, pane_state=pane_state)

    monkeypatch.setattr(line_module.actions, "beat", locked_once)

    async def scene() -> None:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, type="beat", pane_state="replaced")
            say(line, type="beat", pane_state="unlisted")
            await until(lambda: sync(lambda: launcher.launch.pane_state == "unlisted"))

    run(scene())
    assert tries == ["replaced", "unlisted"]
