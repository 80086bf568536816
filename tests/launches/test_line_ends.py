"""How a launcher's line ends, and with which code: so that the launcher knows what to do next."""

import json
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError

from accounts import actions as accounts
from accounts.actions import connection_key
from accounts.launches import actions
from accounts.launches.news import launch_key
from chat.launcher import line as line_module
from core import news
from core.actor import operator
from tests import make
from tests.asgi import hub, run, sync, until
from tests.launches.launcher import Launcher, begun, hear, registered, say


def code_of(launcher: Launcher, **headers: str) -> int | None:
    """How a line that is not let in is closed."""

    async def scene() -> int | None:
        async with hub() as app, launcher.line(app, **headers) as line:
            assert await line.hear() is None and line.accepted
            return line.code

    return run(scene())


@pytest.mark.parametrize("authorization", ["", "Bearer unknown", "Bearer to-unknown", "Basic x"])
def test_no_sound_token_is_4401(alice: make.Person, authorization: str) -> None:
    assert code_of(registered(alice), authorization=authorization) == 4401


@pytest.mark.parametrize("credential", ["", "x" * 43, "x" * 129, "\u00e9" * 43])
def test_an_unknown_credential_is_4404(alice: make.Person, credential: str) -> None:
    assert code_of(registered(alice), **{"tertulia-launch": credential}) == 4404


def test_a_launch_that_was_registered_through_another_connection_is_4404(alice: make.Person) -> None:
    assert code_of(registered(alice), authorization=f"Bearer {make.token(alice)}") == 4404


def test_a_launch_that_has_ended_is_4410(alice: make.Person) -> None:
    launcher = registered(alice)
    launcher.end()
    assert code_of(launcher) == 4410


def test_the_end_that_a_launcher_tells_ends_the_launch_and_the_line(alice: make.Person) -> None:
    launcher = registered(alice)
    launch = launcher.launch

    async def scene() -> int | None:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, type="end", exit_status=3, reason="the process ended")
            await until(lambda: sync(lambda: not launcher.launch.is_live))
            news.board.ring([launch_key(launch.pk)])
            assert await line.hear() is None
            return line.code

    assert run(scene()) == 4410
    assert (launcher.launch.exit_status, launcher.launch.end_reason) == (3, "the process ended")


def test_a_launcher_that_goes_at_once_does_not_overtake_its_last_word(alice: make.Person) -> None:
    launcher = registered(alice)

    async def scene() -> None:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            say(line, type="beat", pane_state="claimed")
            say(line, type="end", exit_status=0, reason="the process ended")
            await line.leave()

    run(scene())
    assert launcher.launch.end_reason == "the process ended"


def test_a_newer_line_of_one_launch_takes_over(alice: make.Person) -> None:
    launcher = registered(alice)
    launch = launcher.launch

    async def scene() -> tuple[int | None, int | None]:
        async with hub() as app, launcher.line(app) as old:
            await begun(old)
            async with launcher.line(app) as new:
                await begun(new)
                assert await old.hear() is None
                news.board.ring([launch_key(launch.pk)])
                say(new, type="hook", id=1, event="none")
                assert (await hear(new, "hook"))["id"] == 1
                return old.code, new.code

    assert run(scene()) == (4409, None)


def test_a_line_goes_on_though_the_cache_forgot_it(alice: make.Person) -> None:
    launcher = registered(alice)
    launch = launcher.launch

    async def scene() -> Any:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            cache.clear()
            news.board.ring([launch_key(launch.pk)])
            say(line, type="hook", id=1, event="none")
            return await line.hear()

    assert run(scene())["type"] == "hook"


def test_a_launcher_comes_back_after_its_line_broke(alice: make.Person) -> None:
    launcher = registered(alice)

    async def scene() -> list[str]:
        keys = []
        for _ in range(2):  # another process of the hub each time
            async with hub() as app, launcher.line(app) as line:
                keys.append((await begun(line))["launch"])
        return keys

    assert run(scene()) == [launcher.body["key"]] * 2


ENDS: dict[str, Any] = {
    "revoked": lambda who, held: accounts.revoke_connection(who.actor, connection_id=held.connection.pk),
    "switched off": lambda who, held: accounts.update_user(operator(), user_id=who.user.pk, is_active=False),
    "deleted": lambda who, held: accounts.delete_account(operator(), account_id=who.account.pk),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_line_closes_at_once_with_what_stood_behind_its_token(alice: make.Person, end: Any) -> None:
    launcher = registered(alice)

    async def scene() -> int | None:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            sync(lambda: end(alice, launcher))
            news.board.ring([connection_key(launcher.connection.pk)])
            assert await line.hear() is None
            return line.code

    assert run(scene()) == 4401


def test_a_line_whose_news_was_lost_looks_for_itself(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_module, "LOOK_SECONDS", 0.01)
    launcher = registered(alice)

    async def scene() -> int | None:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            sync(lambda: actions.end(make.launched(alice, launcher.launch)))
            assert await line.hear() is None
            return line.code

    assert run(scene(), seconds=5) == 4410


def test_a_failure_of_the_hubs_own_closes_the_line_so_that_its_launcher_comes_back(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = registered(alice)

    def failing(*_: Any) -> Any:
        raise OperationalError("the words of a library")

    monkeypatch.setattr(line_module, "look", failing)
    assert code_of(launcher) == 4500


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "{",
        "[]",
        "null",
        '"beat"',
        "{}",
        '{"type": "grant"}',
        '{"type": "beat"}',
        '{"type": "beat", "pane_state": "mine"}',
        '{"type": "beat", "pane_state": "claimed", "handle": "lead"}',
        '{"type": "hook", "id": "1", "event": "Stop"}',
        '{"type": "hook", "id": -1, "event": "Stop"}',
        '{"type": "hook", "id": 1e400, "event": "Stop"}',
        '{"type": "wake", "id": 1, "outcome": "pending"}',
        '{"type": "end", "exit_status": 256}',
        '{"type": "hook", "id": 1, "event": "\\ud800"}',
        "[" * 20_000,
    ],
    ids=lambda text: text[:40],
)
def test_a_frame_that_is_none_is_told_so_and_ends_the_line(alice: make.Person, frame: str) -> None:
    launcher = registered(alice)

    async def scene() -> tuple[Any, int | None]:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            line.say(frame)
            error = await line.hear()
            assert await line.hear() is None
            return error, line.code

    error, code = run(scene())
    assert (error["type"], code) == ("error", 4400)
    assert "\ud800" not in json.dumps(error) and error["detail"].endswith(".")


def test_a_line_ends_with_its_peer(alice: make.Person) -> None:
    launcher = registered(alice)

    async def scene() -> None:
        async with hub() as app:
            async with launcher.line(app) as line:
                await begun(line)
            assert not line_module.lines._taken

    run(scene(), seconds=5)


def test_every_code_is_one_that_each_server_sends() -> None:
    codes = {*line_module.CODES.values(), line_module.MALFORMED, line_module.LARGE, line_module.FLOODED, line_module.FAILED}
    assert all(4000 <= code <= 4999 for code in codes)  # daphne refuses to send the reserved ones below 3000
