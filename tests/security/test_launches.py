"""The launch door: who opens it, what a stranger to the launch gets, and how much of the hub one peer takes."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import Launch
from chat.launcher import line as line_module
from chat.launcher.pace import Pace
from core import news
from core.tools import tools_key
from project.hosts import HostGate
from tests import make
from tests.api.driver import Caller, is_problem
from tests.asgi import hub, run, socket
from tests.launches.launcher import PATH, Launcher, registered
from tests.launches.test_line import begun, say
from tests.launches.test_line_ends import code_of
from tests.launches.test_mcp import asked, is_unknown
from tests.mcp.wire import request

HOST, OWN = settings.TERTULIA_URL.partition("//")[2], settings.TERTULIA_URL
EVIL = "http://evil.example"


def gate(headers: list[tuple[str, str]], path: str = PATH) -> bool:
    """Whether the outermost gate lets a handshake with these headers through to `path`."""
    passed: list[str] = []

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope["path"])

    async def scene() -> None:
        async def send(message: Any) -> None:
            assert message == {"type": "websocket.close", "code": 4403}

        scope = {"type": "websocket", "path": path, "headers": [(name.encode(), value.encode()) for name, value in headers]}
        await HostGate(inside, guarded_origins=frozenset())(scope, send, send)  # type: ignore[arg-type]

    run(scene())
    return passed == [path]


def test_a_program_without_an_origin_opens_the_launch_door_and_no_other() -> None:
    assert gate([("host", HOST)]) and gate([("host", HOST), ("origin", OWN)])
    assert not gate([("host", HOST)], "/ws/chat/") and not gate([("host", HOST)], "/ws/live/")
    assert not gate([("host", HOST)], "/ws/launch") and not gate([("host", HOST)], "/ws/launch/x")


@pytest.mark.parametrize(
    "headers",
    [
        [("host", HOST), ("origin", EVIL)],
        [("host", HOST), ("origin", "null")],
        [("host", HOST), ("origin", "")],
        [("host", HOST), ("origin", OWN), ("origin", EVIL)],
        [("host", HOST), ("origin", EVIL), ("origin", OWN)],
        [("host", HOST), ("origin", f"{OWN}.")],
        [("host", HOST), ("host", "evil.example")],
        [("host", "evil.example")],
        [("origin", OWN)],
        [],
    ],
)
def test_a_page_of_another_site_and_another_host_do_not_open_it(headers: list[tuple[str, str]]) -> None:
    assert not gate(headers)


def test_a_signed_in_browsers_cookies_count_for_nothing_there(alice: make.Person) -> None:
    launcher = registered(alice)
    browser = Client()
    browser.force_login(alice.user)
    cookie = f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"

    async def scene() -> int | None:
        credential = {"tertulia-launch": launcher.body["credential"]}
        async with hub() as app, socket(app, PATH, cookie, **credential) as line:
            assert await line.hear() is None
            return line.code

    assert run(scene()) == 4401


def test_charlie_gets_of_alices_launch_what_he_gets_of_one_that_does_not_exist(alice: make.Person, charlie: make.Person) -> None:
    hers, his = registered(alice), registered(charlie)
    credential, key = hers.body["credential"], hers.body["key"]
    for name in (credential, "x" * 43):
        assert code_of(his, **{"tertulia-launch": name}) == 4404
        assert is_unknown(asked(his, request("tools/list"), name))
    told = [
        his.caller.post(f"/api/launches/{each}/end/", {}, tertulia_launch=named)
        for each in (key, "l-0000000000000000", his.body["key"])
        for named in (credential, "x" * 43)
    ]
    assert {answer.content for answer in told} == {told[0].content}
    is_problem(told[0], 404, "launch_unknown")
    assert hers.launch.is_live and his.launch.is_live


def test_a_launchs_own_credential_ends_no_other_launch_of_its_account(alice: make.Person) -> None:
    one, other = registered(alice), registered(alice)
    answer = one.caller.post(f"/api/launches/{other.body['key']}/end/", {}, tertulia_launch=one.body["credential"])
    is_problem(answer, 404, "launch_unknown")
    assert one.launch.is_live and other.launch.is_live


def test_charlie_cannot_take_alices_key_or_credential_for_his(alice: make.Person, charlie: make.Person) -> None:
    hers, his = registered(alice), Caller(token=make.token(charlie))
    for more in ({}, {"credential": "x" * 43}, {"key": "l-0000000000000000"}):
        answer = his.post("/api/launches/", {**hers.body, **more})
        is_problem(answer, 409, "launch_taken")
        assert hers.body["host"] not in answer.content.decode()
    assert Launch.objects.get().account == alice.account


def test_a_token_of_another_connection_of_the_account_is_not_enough(alice: make.Person) -> None:
    launcher = registered(alice)
    launcher.caller.token = make.token(alice)
    assert code_of(launcher) == 4404
    assert is_unknown(asked(launcher, request("tools/list")))
    is_problem(launcher.end(), 404, "launch_unknown")


@pytest.mark.parametrize("where", ["as a token", "in the address", "in a cookie", "twice"])
def test_a_credential_counts_in_its_header_alone(alice: make.Person, where: str) -> None:
    launcher = registered(alice)
    credential = launcher.body["credential"]
    headers: dict[str, str | None] = {"authorization": f"Bearer {launcher.caller.token}"}
    path, cookie, code = PATH, "", 4404
    if where == "as a token":
        headers["authorization"], code = f"Bearer {credential}", 4401
    elif where == "in the address":
        path = f"{PATH}?tertulia-launch={credential}&token={launcher.caller.token}"
    elif where == "in a cookie":
        cookie = f"tertulia-launch={credential}"
    else:
        headers["tertulia-launch"] = f"{credential}, {credential}"

    async def scene() -> int | None:
        async with hub() as app, socket(app, path, cookie, **headers) as line:
            assert await line.hear() is None
            return line.code

    assert run(scene()) == code


def ended_by(launcher: Launcher, act: Callable[[Any], None]) -> tuple[list[Any], int | None]:
    """What a line is told after `act`, and how it is closed."""

    async def scene() -> tuple[list[Any], int | None]:
        async with hub() as app, launcher.line(app) as line:
            await begun(line)
            act(line)
            told = []
            while (frame := await line.hear()) is not None:
                told.append(frame)
            return told, line.code

    return run(scene())


def test_a_frame_of_a_megabyte_and_bytes_end_the_line(alice: make.Person) -> None:
    launcher = registered(alice)
    big = json.dumps({"type": "end", "reason": "x" * 2**20})
    told, code = ended_by(launcher, lambda line: line.say(big))
    assert code == 4413 and [each["type"] for each in told] == ["error"] and len(json.dumps(told)) < 300
    told, code = ended_by(launcher, lambda line: line.say(b"\x00\xff"))
    assert code == 4400 and launcher.launch.is_live


@pytest.mark.parametrize("frame", [{"type": "beat", "pane_state": "claimed"}, {"type": "hook", "id": 1, "event": "none"}])
def test_a_flood_of_frames_ends_the_line_after_its_burst(alice: make.Person, frame: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(line_module, "Pace", lambda per_second, at_once, clock: Pace(per_second, at_once, lambda: 0.0))
    launcher = registered(alice)

    def flood(line: Any) -> None:
        for _ in range(1000):
            say(line, **frame)

    told, code = ended_by(launcher, flood)
    assert code == 4429 and len(told) <= line_module.FRAMES_AT_ONCE


def test_frames_come_at_their_pace() -> None:
    now = [0.0]
    pace = Pace(20, 200, lambda: now[0])
    assert [pace.allows() for _ in range(201)] == [True] * 200 + [False]
    now[0] += 0.1
    assert [pace.allows() for _ in range(3)] == [True, True, False]
    now[0] += 3600
    assert [pace.allows() for _ in range(201)] == [True] * 200 + [False]


def test_a_peer_that_takes_nothing_is_let_go_and_piles_nothing_up(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_module, "SEND_SECONDS", 0.05)
    launcher = registered(alice)
    sent: list[Any] = []

    async def scene() -> None:
        inbox: asyncio.Queue[Any] = asyncio.Queue()
        inbox.put_nowait({"type": "websocket.connect"})

        async def send(message: Any) -> None:
            sent.append(message["type"])
            if message["type"] != "websocket.accept":
                await asyncio.Event().wait()

        headers = {"authorization": f"Bearer {launcher.caller.token}", "tertulia-launch": launcher.body["credential"]}
        scope = {"headers": [(name.encode(), value.encode()) for name, value in headers.items()]}
        held = asyncio.ensure_future(line_module.launcher_door(scope, inbox.get, send))
        for _ in range(1000):
            news.board.ring([tools_key(alice.account.pk)])
        await held

    run(scene(), seconds=5)
    assert sent == ["websocket.accept", "websocket.send"]


def test_an_account_holds_so_many_lines_open_at_most_and_another_is_not_its_loss(
    alice: make.Person, bob: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_module.lines, "_most", 1)
    one, two, his = registered(alice), registered(alice), registered(bob)

    async def scene() -> list[Any]:
        async with hub() as app, one.line(app) as first:
            await begun(first)
            async with two.line(app) as second, his.line(app) as third:
                return [await second.hear(), second.code, (await begun(third))["type"]]

    assert run(scene()) == [None, 4429, "state"]


def test_the_database_and_every_answer_hold_no_credential(alice: make.Person) -> None:
    launcher = registered(alice)
    launch = launcher.launch
    kept = {str(getattr(launch, field.attname)) for field in launch._meta.fields}
    assert launcher.body["credential"] not in kept
    for answer in (launcher.register(), launcher.caller.get("/api/launches/"), launcher.end()):
        for secret in (launcher.body["credential"], launch.credential, launcher.body["start_token"]):
            assert secret not in answer.content.decode()
