"""Launched and granted: the real Claude Code and Codex, told by their hooks of a mention, who answer under their handle."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.fake_model import Model, Step, serving
from e2e.harness import HERE, Room
from e2e.hub import Hub, Peer
from e2e.launched import Desk, Waiting, launching
from e2e.test_codex import driven_by
from tests.launcher.waiting import until

CLAUDE = {
    "ANTHROPIC_API_KEY": "sk-fake",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
APPROVE = 'mcp_servers.tertulia.default_tools_approval_mode="approve"'


PUSH = """
from core import clock
from triggers.inbox.actions import store
from triggers.values import Arrival
store(1, [Arrival(server="ci", channel="builds", content="main is red", received_at=clock.now())])
"""


@dataclass(frozen=True)
class Harness:
    """How a harness is run once, without a person, and how its model names a tool of ours."""

    name: str
    command: Callable[[Model], list[str]]
    environment: Callable[[Model], dict[str, str]]
    step: Callable[..., Step]
    package: str

    def version(self) -> str:
        """The one that e2e/package.json names."""
        wanted: str = json.loads((HERE / "package.json").read_text())["dependencies"][self.package]
        return wanted


def _claude(model: Model) -> list[str]:
    return ["claude", "-p", "go", "--allowedTools", "mcp__tertulia__*", "--permission-mode", "dontAsk", "--output-format", "json"]


def _codex(model: Model) -> list[str]:
    trusted = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    return ["codex", "exec", *trusted, "-c", APPROVE, *driven_by(model), "go"]


HARNESSES = {
    "claude": Harness(
        "claude",
        _claude,
        lambda model: {**CLAUDE, "ANTHROPIC_BASE_URL": model.url},
        lambda tool, arguments=None: Step(f"mcp__tertulia__{tool}", arguments or {}),
        "@anthropic-ai/claude-code",
    ),
    "codex": Harness(
        "codex",
        _codex,
        lambda model: {"SCRIPTED_KEY": "sk-fake"},
        lambda tool, arguments=None: Step(tool, arguments or {}, namespace="mcp__tertulia"),
        "@openai/codex",
    ),
}


def said_to(model: Model, number: int) -> str:
    """All text of one request to the model but the descriptions of its tools."""
    asked = model.asked[number]
    return "\n".join(_texts([asked.get("system"), asked.get("messages"), asked.get("input")]))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts(list(value.values()))
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


@pytest.fixture(params=HARNESSES)
def harness(request: pytest.FixtureRequest) -> Harness:
    """Each of them."""
    return HARNESSES[request.param]


@pytest.fixture
def desk(hub: Hub, room: Room) -> Desk:
    """Signed in; the wire shows only what comes after."""
    desk = Desk(hub, room)
    hub.wire.forget()
    return desk


def test_a_mention_reaches_the_model_and_is_answered_under_the_handle(harness: Harness, desk: Desk, bob: Peer) -> None:
    desk.run("hooks", "install", harness.name).checked()
    profile, start = f"{harness.name}-lead", bob.latest()

    def told_meanwhile(_: str) -> dict[str, object]:
        bob.post(f"and one more for @{profile}")
        return {}

    plan = [
        harness.step("chat_inbox"),
        harness.step("chat_read", {"mark_read": True}),
        harness.step("chat_post", {"body": "on it, @bob", "reply_to": start + 1}),
        harness.step("chat_inbox", told_meanwhile),
        harness.step("chat_inbox"),
    ]
    begins = Waiting(desk.room, harness.name)
    with serving(plan) as model, launching(desk, profile, harness.command(model), harness.environment(model)) as process:
        desk.until(profile, harness=harness.name, harness_version=harness.version(), state="ungranted")
        said = desk.grant(profile)
        assert "would let a coworker steer" in said and f"chats as @{profile}" in said
        bob.post(f"@{profile} please look at docs/review.md")
        begins.go()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err

    first, before, last = (said_to(model, number) for number in (0, 3, -1))
    print(last)
    assert f"You are @{profile} in the chat of your owner's agents; 1 unread mention" in first, "SessionStart"
    assert f'unverified "bob": @{profile} please look at docs/review.md' in first, "UserPromptSubmit"
    assert "at least one of them new" not in before
    assert "at least one of them new" in last, "PreToolUse"

    inbox, read, posted, *_ = model.results()
    assert "please look at docs" in inbox and profile in inbox
    assert "please look at docs/review.md" in read
    assert '"mentioned":["bob"]' in posted.replace(" ", "")
    answer = next(each for each in bob.read(start) if each["body"].startswith("on it"))
    assert (answer["handle"], answer["session_name"], answer["reply_to"]) == (profile, profile, start + 1)
    desk.until(profile, state="stale")


@pytest.fixture
def push(hub: Hub) -> Iterator[Callable[[], None]]:
    """A message that a push server pushed, by the action that stores it; gone afterwards."""
    yield lambda: print(hub.manage("shell", "-c", PUSH))
    hub.manage(
        "shell", "-c", "from core.actor import operator; from triggers.inbox import actions; actions.clear_all(operator(1))"
    )


def test_without_a_grant_what_was_pushed_is_said_to_the_model(
    harness: Harness, desk: Desk, bob: Peer, push: Callable[[], None]
) -> None:
    desk.run("hooks", "install", harness.name).checked()
    profile = f"{harness.name}-told"
    begins = Waiting(desk.room, harness.name)
    with serving([]) as model, launching(desk, profile, harness.command(model), harness.environment(model)) as process:
        key = desk.until(profile, state="ungranted")["key"]
        asks = Path("/tmp", f"tertulia-{os.geteuid()}", key, "granted")
        assert not asks.exists()
        push()
        until(asks.exists)
        begins.go()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    said = said_to(model, 0)
    assert "## MCP Channel Messages (Recent)" in said and "main is red" in said and "unread mention" not in said


def test_without_a_grant_nothing_is_said_to_the_model(harness: Harness, desk: Desk, bob: Peer) -> None:
    desk.run("hooks", "install", harness.name).checked()
    bob.post("@nobody is here")
    begins = Waiting(desk.room, harness.name)
    with serving([]) as model, launching(desk, "mute", harness.command(model), harness.environment(model)) as process:
        desk.until("mute", state="ungranted")
        begins.go()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    said = said_to(model, 0)
    assert "unread mention" not in said and "hook additional context" not in said
