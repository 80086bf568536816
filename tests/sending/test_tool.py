"""The tool sessions_send, as an agent calls it over MCP."""

import asyncio
import json
from typing import Any

import pytest

from sessions_app.models import Exchange, Run, Session
from tests import make, play
from tests.asgi import client, hub, run, sync, until
from tests.mcp import wire
from tests.mcp.sdk import ERAS, called, connect
from tests.sending.cast import GROUP, pair, settings

both_eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)


def text(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


def call(who: make.Person, arguments: dict[str, Any], *, scopes: str = "mcp", mode: str = "legacy") -> Any:
    """One call of sessions_send by an agent of `who`, over the hub's endpoint."""
    return called(make.token(who, scopes=scopes), "sessions_send", arguments, mode=mode)


@both_eras
def test_o_44_with_timeout_0_it_is_accepted_at_once(alice: make.Person, mode: str) -> None:
    _, target = pair(alice)
    told = call(alice, {"sessionKey": target.key, "message": "hi", "timeoutSeconds": 0}, mode=mode).structured_content
    begun = Run.objects.get()
    assert told["runId"] == begun.run_id and told["status"] == "accepted" and told["sessionKey"] == GROUP
    assert told["delivery"] == {"status": "pending", "mode": "announce"} and told["reply"] is None
    assert begun.requester is not None and begun.requester.key.startswith("node-c-")


@both_eras
def test_o_45_with_a_timeout_it_answers_the_reply(alice: make.Person, mode: str, transactional_db: None) -> None:
    _, target = pair(alice)
    token = make.token(alice)

    async def story() -> Any:
        async with hub() as app, connect(app, token, mode=mode) as session:
            given = {"sessionKey": target.key, "message": "hi", "timeoutSeconds": 10}
            waiting = asyncio.ensure_future(session.call_tool("sessions_send", given))
            await until(_somebody_waits)
            sync(lambda: play.answer(play.queued(alice, "send")[0], "seven"))
            return await waiting

    told = run(story()).structured_content
    assert (told["status"], told["reply"]) == ("ok", "seven")
    assert told["runId"] == Run.objects.get(purpose="send").run_id


def _somebody_waits() -> bool:
    from core import news

    return bool(news.board.awaited("run"))


@pytest.mark.parametrize("era", ["old", "new"])
def test_a_client_that_leaves_a_waiting_call_is_told_by_a_run_instead(
    alice: make.Person, era: str, transactional_db: None
) -> None:
    pair(alice)
    token = make.token(alice)
    given = {"name": "sessions_send", "arguments": {"sessionKey": GROUP, "message": "hi", "timeoutSeconds": 200}}
    body, headers = wire.modern("tools/call", given) if era == "new" else (wire.request("tools/call", given), {})

    async def story() -> None:
        async with hub() as app, client(app, token, **headers) as http:
            async with http.stream("POST", "/mcp", json=body) as response:
                chunks = response.aiter_raw()
                await anext(chunks)
                await until(_somebody_waits)
            await until(lambda: sync(lambda: Exchange.objects.get().waits_until) is None)

    run(story())
    play.answer(play.queued(alice, "send")[0], "seven")
    (step,) = play.queued(alice)
    assert step.purpose == "reply" and step.message == "seven"


def test_o_48_a_run_that_failed_is_a_result_with_its_cause(alice: make.Person, transactional_db: None) -> None:
    _, target = pair(alice)
    token = make.token(alice)

    async def story() -> Any:
        async with hub() as app, connect(app, token) as session:
            waiting = asyncio.ensure_future(session.call_tool("sessions_send", {"sessionKey": target.key, "message": "hi"}))
            await until(_somebody_waits)
            sync(lambda: play.fail(play.queued(alice, "send")[0], "unknown model x"))
            return await waiting

    told = run(story()).structured_content
    assert (told["status"], told["error"], told["delivery"]) == ("error", "unknown model x", None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param({"message": "x"}, "sessionKey or label", id="O-40"),
        pytest.param({"sessionKey": "main", "label": "lead", "message": "x"}, "not both", id="O-41"),
        pytest.param({"label": "l" * 65, "message": "x"}, "at most 64", id="O-43-long"),
        pytest.param({"label": " \t", "message": "x"}, "blank", id="O-43-blank"),
        pytest.param({"sessionKey": " ", "message": "x"}, "blank", id="blank-key"),
        pytest.param({"sessionKey": GROUP, "message": "  "}, "blank", id="O-51"),
        pytest.param({"sessionKey": GROUP}, "needs the argument message", id="no-message"),
        pytest.param({"sessionKey": f"{GROUP}:thread:9", "message": "x"}, "parent", id="O-62"),
        pytest.param({"sessionKey": f"{GROUP}:THREAD:9", "message": "x"}, "parent", id="O-62-upper"),
        pytest.param({"sessionKey": "agent:main:nobody", "message": "x", "timeoutSeconds": 0}, "not_found", id="unknown"),
        pytest.param({"sessionKey": GROUP, "message": "x", "to": "y"}, "does not take an argument", id="unknown-argument"),
        pytest.param({"sessionKey": GROUP, "message": "x\u0000y"}, "control character", id="control"),
    ],
)
def test_o_40_a_wrong_call_is_an_error_and_starts_nothing(alice: make.Person, arguments: dict[str, Any], said: str) -> None:
    pair(alice)
    result = call(alice, arguments)
    assert result.is_error and said in text(result) and "\n" not in text(result)
    assert not Run.objects.exists() and not Exchange.objects.exists()


@pytest.mark.parametrize(
    ("given", "waits"), [(None, 30), ("x", 30), (1, 1), (9999, 240)], ids=["O-46-none", "O-46-text", "one", "most"]
)
def test_o_46_the_timeout_is_made_to_fit(alice: make.Person, monkeypatch: pytest.MonkeyPatch, given: Any, waits: int) -> None:
    from sessions_app.sending.values import Answered
    from sessions_app.tools import sending

    waited: list[float] = []

    async def wait(actor: Any, sent: Any, seconds: float) -> Answered:
        waited.append(seconds)
        return Answered(status="timeout")

    monkeypatch.setattr(sending, "wait", wait)
    pair(alice)
    more = {} if given is None else {"timeoutSeconds": given}
    assert call(alice, {"sessionKey": GROUP, "message": "x", **more}).structured_content["status"] == "timeout"
    assert waited == [waits]


@pytest.mark.parametrize("given", [0, 0.9, -5], ids=["O-44", "O-46-fraction", "O-46-negative"])
def test_o_46_less_than_a_second_waits_for_nothing(alice: make.Person, given: float) -> None:
    pair(alice)
    assert call(alice, {"sessionKey": GROUP, "message": "x", "timeoutSeconds": given}).structured_content["status"] == "accepted"


def test_o_52_a_session_is_found_by_its_id_and_by_its_label(alice: make.Person) -> None:
    _, target = pair(alice, label="lead")
    for given in ({"sessionKey": str(target.session_id)}, {"label": "lead"}):
        told = call(alice, {**given, "message": "x", "timeoutSeconds": 0}).structured_content
        assert told["sessionKey"] == GROUP
    assert set(Run.objects.values_list("session__key", flat=True)) == {GROUP}


def test_a_run_over_the_budget_says_that_the_owner_was_asked_and_does_not_wait(alice: make.Person) -> None:
    settings(alice, chain_budget=0)
    pair(alice)
    told = call(alice, {"sessionKey": GROUP, "message": "x"}).structured_content
    assert told["status"] == "accepted" and "owner was asked" in told["note"]


def test_o_61_a_wait_for_one_s_own_session_is_an_error(alice: make.Person) -> None:
    token = make.token(alice)

    async def story() -> list[Any]:
        async with hub() as app, connect(app, token) as session:
            await session.call_tool("sessions_send", {"sessionKey": GROUP, "message": "x", "timeoutSeconds": 0})
            own = sync(lambda: Session.objects.get(kind="node").key)
            return [
                await session.call_tool("sessions_send", {"sessionKey": own, "message": "x", "timeoutSeconds": each})
                for each in (5, 0)
            ]

    pair(alice)
    refused, accepted = run(story())
    assert refused.is_error and "own session" in text(refused)
    assert accepted.structured_content["status"] == "accepted"


def test_to_send_needs_no_right_to_read_and_shows_no_history(alice: make.Person, transactional_db: None) -> None:
    """The reply itself is the answer to what was sent; nothing else of the transcript comes with it."""
    _, target = pair(alice)
    from sessions_app.transcripts.actions import append

    append(target, {"role": "user", "content": "an older secret"})
    token = make.token(alice, scopes="sessions.send")

    async def story() -> Any:
        async with hub() as app, connect(app, token) as session:
            listed = {tool.name for tool in (await session.list_tools()).tools}
            assert "sessions_send" in listed and "sessions_history" not in listed
            waiting = asyncio.ensure_future(session.call_tool("sessions_send", {"sessionKey": GROUP, "message": "hi"}))
            await until(_somebody_waits)
            sync(lambda: play.answer(play.queued(alice, "send")[0], "seven"))
            return await waiting

    result = run(story())
    assert result.structured_content["reply"] == "seven" and "older secret" not in text(result)


@pytest.mark.parametrize("scopes", ["sessions.read", "chat.read chat.post", "sessions.spawn"])
def test_without_the_scope_it_is_neither_listed_nor_done(alice: make.Person, scopes: str) -> None:
    pair(alice)
    result = call(alice, {"sessionKey": GROUP, "message": "x", "timeoutSeconds": 0}, scopes=scopes)
    assert result.is_error and "sessions.send" in text(result) and not Run.objects.exists()


def test_charlie_s_agent_finds_no_session_of_alice_by_key_id_or_label(alice: make.Person, charlie: make.Person) -> None:
    _, target = pair(alice, label="lead")
    told = set()
    for given in ({"sessionKey": GROUP}, {"label": "lead"}, {"sessionKey": str(target.session_id)}):
        result = call(charlie, {**given, "message": "psst", "timeoutSeconds": 0})
        assert result.is_error and text(result).startswith("not_found")
        told.add(text(result).replace(GROUP, "?"))
    assert not Run.objects.exists()


def test_the_tool_takes_little_room_in_the_list() -> None:
    from core.tools import tools
    from project.mcp.server import describe

    tool = tools.get("sessions_send")
    assert tool is not None
    shown = describe(tool).model_dump(by_alias=True, exclude_none=True, mode="json")
    assert len(json.dumps(shown, separators=(",", ":"))) <= 1_100
    assert "240 seconds" in shown["description"] and "data" in tool.notice
