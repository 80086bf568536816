"""The launcher's line: hooks are answered in time, whatever else it carries."""

import asyncio
import threading
from typing import Any

import pytest
from django.db import OperationalError

from chat import hooks
from chat.launcher import line as line_module
from tests import make
from tests.asgi import hub, run
from tests.launches.launcher import PROMPT, begun, hear, registered, say


def test_a_hook_is_answered_under_its_number(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = registered(alice)
    launch = launcher.launch
    monkeypatch.setattr(hooks, "answer", lambda launch_id, event, scopes: f"{launch_id} {event} \u00e9\u2028")

    async def scene() -> Any:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, **PROMPT)
            return await hear(line, "hook")

    assert run(scene()) == {"type": "hook", "id": 7, "text": f"{launch.pk} UserPromptSubmit \u00e9\u2028"}


def test_a_granted_launch_is_told_of_its_mentions_by_its_hooks(alice: make.Person) -> None:
    launcher = registered(alice)
    make.granted(alice, launch_=launcher.launch)
    make.message(alice, "@lead look here")

    async def scene() -> Any:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, **PROMPT)
            return await hear(line, "hook")

    assert "look here" in run(scene())["text"]


@pytest.mark.parametrize("scopes", ["chat.post", "chat.read"])
def test_hooks_tell_nothing_to_a_token_that_may_not_read(alice: make.Person, scopes: str) -> None:
    launcher = registered(alice, connection=make.connection(alice, scopes=scopes))
    make.granted(alice, launch_=launcher.launch)
    make.message(alice, "@lead look here")

    async def scene() -> Any:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, **PROMPT)
            return await hear(line, "hook")

    assert ("look here" in run(scene())["text"]) is (scopes == "chat.read")


def test_t_52_a_hook_that_fails_is_answered_with_nothing_and_the_line_goes_on(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = registered(alice)

    def broken(*_: object) -> str:
        raise OperationalError("the words of a library")

    monkeypatch.setattr(hooks, "answer", broken)

    async def scene() -> list[Any]:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            answers = []
            for number in range(2):
                say(line, **{**PROMPT, "id": number})
                answers.append(await hear(line, "hook"))
            return answers

    assert run(scene()) == [{"type": "hook", "id": number, "text": ""} for number in range(2)]


@pytest.mark.django_db(transaction=True)
def test_t_51_a_hook_is_answered_in_time_though_the_database_hangs_and_others_wait(
    alice: make.Person, threaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that hangs, three that wait behind it, and three that are not let wait at all."""
    launcher = registered(alice)
    release, asked = threading.Event(), []

    def hangs(launch_id: int, event: str, scopes: frozenset[str]) -> str:
        asked.append(event)
        release.wait(10)
        return "too late"

    monkeypatch.setattr(hooks, "answer", hangs)

    async def scene() -> tuple[list[Any], float]:
        loop = asyncio.get_running_loop()
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            began = loop.time()
            for number in range(7):
                say(line, **{**PROMPT, "id": number})
            answers = [await hear(line, "hook") for _ in range(7)]
            took = loop.time() - began
            release.set()
            return answers, took

    answers, took = run(scene())
    assert [each["id"] for each in answers][:3] == [4, 5, 6], "who would only wait is answered first"
    assert {each["text"] for each in answers} == {""} and {each["id"] for each in answers} == set(range(7))
    assert took < 1.0 and len(asked) <= line_module.HOOKS_AT_ONCE


def test_no_hook_waits_behind_a_beat(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = registered(alice)

    async def never(*_: Any, **__: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(line_module.Line, "_do", never)

    async def scene() -> Any:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, type="beat", pane_state="claimed")
            say(line, **PROMPT)
            return await hear(line, "hook")

    assert run(scene())["id"] == 7
