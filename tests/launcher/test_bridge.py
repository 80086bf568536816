"""`tertulia mcp`: the harness's lines go to the hub as this launch, the hub's answers come back, whatever either does."""

import json
import subprocess
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from tests.launcher.conftest import PROGRAM, RELAY, Launch, Launched
from tests.launcher.stub import GREETING, TOOL, Frame, Stub
from tests.launcher.waiting import until

MODERN = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class Harness:
    """The launched command is the bridge itself; the test is the harness that writes and reads its lines."""

    def __init__(self, launched: Launched) -> None:
        self.launched = launched
        self._asked = 0

    def say(self, method: str, params: Frame | None = None, **more: Any) -> None:
        """A message without an id."""
        self.launched.type(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}, **more}))

    def next(self) -> Frame:
        """The next message it is told."""
        return dict(json.loads(self.launched.line()))

    def ask(self, method: str, params: Frame | None = None) -> Any:
        """A request; its result, or its error."""
        self._asked += 1
        self.say(method, params, id=self._asked)
        answer = self.next()
        assert answer["id"] == self._asked
        return answer.get("result", answer.get("error"))

    def ask_through_news(self, method: str, params: Frame | None = None) -> Any:
        """The same, whatever it is told between: progress, or that the tools are others."""
        self._asked += 1
        self.say(method, params, id=self._asked)
        while (answer := self.next()).get("id") != self._asked:
            assert "method" in answer
        return answer.get("result", answer.get("error"))

    def greet(self) -> Any:
        """Initialize, as every harness does first."""
        return self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})

    def end(self) -> None:
        """Close its side; the bridge goes too."""
        assert self.launched.process.stdin is not None
        self.launched.process.stdin.close()
        assert self.launched.process.wait(20) == 0


@pytest.fixture
def harness(hub: Stub, launch: Launch) -> Harness:
    launched = launch(*RELAY)
    launched.tells(connected=True)
    hub.settled()
    return Harness(launched)


def test_requests_go_with_the_token_the_credential_and_the_session(hub: Stub, harness: Harness) -> None:
    assert harness.greet() == {"protocolVersion": "2025-11-25", **GREETING}
    harness.say("notifications/initialized")
    assert harness.ask("tools/list") == {"tools": []}
    (first, _), (second, _) = hub.posts
    assert "mcp-session-id" not in first and second["mcp-session-id"] in hub.sessions
    assert second["mcp-protocol-version"] == "2025-11-25" and second["authorization"] == "Bearer access-1"
    assert second["tertulia-launch"] == hub.registered[0]["credential"]
    harness.end()


def test_progress_comes_before_the_result(hub: Stub, harness: Harness) -> None:
    harness.greet()
    harness.say("tools/call", {"name": "chat_wait", "arguments": {"topic": "olá\u2028"}}, id="a")
    assert harness.next()["method"] == "notifications/progress"
    answer = harness.next()
    assert answer["id"] == "a" and answer["result"]["content"][0]["text"] == '{"topic": "olá\u2028"}'


def test_the_newer_era_is_passed_on_with_its_headers(hub: Stub, harness: Harness) -> None:
    harness.say("tools/call", {"name": "chat_inbox", "arguments": {}, **MODERN}, id=1)
    assert harness.next()["method"] == "notifications/progress" and harness.next()["id"] == 1
    headers = hub.posts[-1][0]
    told = [headers[name] for name in ("mcp-protocol-version", "mcp-method", "mcp-name")]
    assert told == ["2026-07-28", "tools/call", "chat_inbox"] and "mcp-session-id" not in headers


def test_a_grant_and_its_end_are_told_to_the_harness(hub: Stub, harness: Harness) -> None:
    harness.greet()
    hub.grant()
    assert harness.next() == CHANGED
    assert harness.ask("tools/list") == {"tools": [TOOL]}
    hub.tools = []
    hub.say({"type": "tools"})
    assert harness.next() == CHANGED
    assert harness.ask("tools/list") == {"tools": []}


def test_what_changes_before_the_greeting_is_answered_is_not_told(hub: Stub, harness: Harness) -> None:
    hub.greets.clear()
    harness.say("initialize", {"protocolVersion": "2025-11-25"}, id=1)
    until(lambda: hub.posts)
    hub.say({"type": "tools"})
    hub.settled()
    hub.greets.set()
    assert harness.next()["id"] == 1
    hub.say({"type": "tools"})
    assert harness.next() == CHANGED


def test_a_subscription_is_acknowledged_told_and_cancelled(hub: Stub, harness: Harness) -> None:
    harness.say("subscriptions/listen", {"notifications": {"toolsListChanged": True}, **MODERN}, id="s")
    meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": "s"}}
    told = harness.next()
    assert told["method"] == "notifications/subscriptions/acknowledged"
    assert told["params"] == {"notifications": {"toolsListChanged": True}, **meta}
    hub.grant()
    assert harness.next() == {**CHANGED, "params": meta}
    harness.say("notifications/cancelled", {"requestId": "s"})
    assert harness.ask("ping", MODERN)["code"] == -32601  # the hub's own answer
    hub.say({"type": "tools"})
    hub.settled()
    assert harness.ask("ping", MODERN)["code"] == -32601  # and nothing came before it


def test_a_cancelled_call_is_broken_off_at_the_hub_and_never_answered(hub: Stub, harness: Harness) -> None:
    harness.greet()
    hub.holds = True
    harness.say("tools/call", {"name": "chat_wait"}, id=7)
    until(lambda: hub.held)
    harness.say("notifications/cancelled", {"requestId": 7})
    until(lambda: hub.broken_off)
    hub.holds = False
    assert harness.ask("tools/list") == {"tools": []}


def test_a_session_the_hub_forgot_is_begun_anew_and_the_call_repeated(hub: Stub, harness: Harness) -> None:
    harness.greet()
    hub.sessions.clear()
    assert harness.ask("tools/list") == {"tools": []}
    assert [message["method"] for _, message in hub.posts] == ["initialize", "tools/list", "initialize", "tools/list"]


def test_a_token_that_ran_out_is_refreshed_on_the_way(hub: Stub, harness: Harness) -> None:
    harness.greet()
    hub.tokens.clear()
    assert harness.ask("tools/list") == {"tools": []}
    assert hub.posts[-1][0]["authorization"] == "Bearer access-2"


def test_while_the_hub_is_away_there_are_no_tools_and_the_harness_hears_when_it_is_back(launch: Launch, hub: Stub) -> None:
    hub.away = True
    harness = Harness(launch(*RELAY))
    greeting = harness.greet()
    assert greeting["capabilities"] == {"tools": {"listChanged": True}} and greeting["serverInfo"]["name"] == "tertulia"
    assert harness.ask("tools/list") == {"tools": []}
    assert harness.ask("tools/call", {"name": "chat_inbox"})["isError"] is True
    assert "HTTP 503" in harness.launched.facts["last_error"] or "not there" in harness.launched.facts["last_error"]
    hub.tools, hub.away = [TOOL], False
    assert harness.next() == CHANGED
    assert harness.ask("tools/list") == {"tools": [TOOL]}


def test_a_launch_the_hub_does_not_know_is_registered_anew(hub: Stub, harness: Harness) -> None:
    harness.greet()
    hub.launches_known = False
    assert harness.ask("tools/call", {"name": "chat_inbox"})["isError"] is True
    until(lambda: len(hub.registered) > 1)
    assert hub.registered[0]["credential"] == hub.registered[1]["credential"]


def test_what_is_no_message_is_answered_with_an_error_and_the_next_is_heard(harness: Harness) -> None:
    endless = "x" * 5_000_000
    for line in ("{", "[]", "[1]", "null", "nan", '"x"', "[" * 5000, "\x00", '{"a":' * 3000, endless):
        harness.launched.type(line)
        assert harness.next()["error"]["code"] == -32700
    assert harness.greet()["protocolVersion"]


def test_a_flood_is_bounded(hub: Stub, harness: Harness) -> None:
    harness.greet()
    hub.holds = True
    for number in range(100, 200):
        harness.say("tools/call", {"name": "chat_wait"}, id=number)
    refused = [harness.next() for _ in range(36)]
    assert {each["error"]["code"] for each in refused} == {-32600}
    until(lambda: len(hub.held) == 64)


def test_what_was_asked_before_the_harness_closed_is_still_answered(hub: Stub, harness: Harness) -> None:
    harness.say("initialize", {"protocolVersion": "2025-11-25"}, id=1)
    harness.end()
    assert harness.next()["id"] == 1


def test_a_hub_that_breaks_off_or_talks_nonsense_gives_an_error_to_the_model(hub: Stub, harness: Harness) -> None:
    harness.greet()
    for answer in (
        Response(b"", media_type="text/event-stream"),
        Response(b"<html>", media_type="text/html"),
        Response(b"data: {\n\n", media_type="text/event-stream"),
        JSONResponse([1]),
        Response(status_code=502),
        Response(status_code=302, headers={"location": "http://example.org/"}),
        Response(status_code=429),
    ):
        hub.answer = answer
        assert harness.ask("tools/call", {"name": "chat_inbox"})["isError"] is True
    hub.answer = None
    harness.say("tools/call", {"name": "chat_inbox"}, id=99)
    assert harness.next()["method"] == "notifications/progress"


def test_without_a_launcher_it_says_what_to_run(environment: dict[str, str]) -> None:
    for more in ({}, {"TERTULIA_LAUNCH_ID": "l-1", "TERTULIA_LAUNCH_DIR": "/nowhere"}):
        told = {"env": {**environment, **more}, "stdin": subprocess.DEVNULL}
        ended = subprocess.run([*PROGRAM, "mcp"], **told, capture_output=True, text=True, timeout=30)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr == "tertulia: There is no launcher here; start the agent with: tertulia launch -- COMMAND\n"
