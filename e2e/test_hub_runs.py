"""The hub runs the real Claude Code and the real Codex as agents of sessions: each answers one sessions_send, and uses a tool of
the hub with its run's own token."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from e2e.fake_model import Model, Step, serving
from e2e.harness import npm_folder, program
from e2e.hub import Hub, Peer, running
from e2e.test_claude_code import tool
from e2e.test_codex import driven_by, step

SETTING_UP = """
from core.actor import operator
from sessions_app.runners import actions
from sessions_app.runners.drafts import AgentDraft
for draft in {drafts}:
    actions.save_agent(operator(1), AgentDraft(**draft))
from sessions_app.models import SessionSettings
SessionSettings.objects.update(turns=0)
"""
PUSH = """
from core import clock
from triggers.inbox.actions import store
from triggers.values import Arrival
store(1, [Arrival(server="ci", channel="builds", content="main is red", received_at=clock.now())])
"""
POST = {"body": "looking into it", "session_name": "somebody else", "topic": "runs"}
CLAUDE_PLAN = [Step(tool("chat_post"), POST), Step(text="Claude says 18400")]
CODEX_PLAN = [step("chat_post", **POST), Step(text="Codex says 18401")]


@pytest.fixture(scope="module")
def models() -> Iterator[dict[str, Model]]:
    """One scripted model for each harness."""
    with ExitStack() as stack:
        yield {
            "claude": stack.enter_context(serving(list(CLAUDE_PLAN))),
            "codex": stack.enter_context(serving(list(CODEX_PLAN))),
        }


@pytest.fixture(scope="module")
def runs_hub(tmp_path_factory: pytest.TempPathFactory, models: dict[str, Model]) -> Iterator[Hub]:
    """A hub whose workers find the harnesses and their models, in a home that is nobody's."""
    claude, codex = program("claude"), program("codex")
    home = tmp_path_factory.mktemp("home")
    node = npm_folder() / "node_modules" / "node" / "bin"
    path = ":".join([str(npm_folder() / "node_modules" / ".bin"), str(node), "/usr/bin", "/bin"])
    given = {
        "HOME": str(home),
        "PATH": path,
        "ANTHROPIC_BASE_URL": models["claude"].url,
        "ANTHROPIC_API_KEY": "sk-fake",
        "SCRIPTED_KEY": "sk-fake",
    }
    agents = [
        {
            "slug": "claude",
            "runner": "command",
            "preset": "claude",
            "argv": (str(claude),),
            "environment": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
            "tools": ("chat_*", "channels_list"),
            "timeout_seconds": 150,
        },
        {
            "slug": "codex",
            "runner": "command",
            "preset": "codex",
            "argv": (str(codex), *driven_by(models["codex"])),
            "environment": ("SCRIPTED_KEY",),
            "tools": ("chat_*",),
            "timeout_seconds": 150,
        },
    ]
    with running(tmp_path_factory.mktemp("runs") / "data", "uvicorn", **given) as hub:
        hub.manage("shell", "-c", SETTING_UP.format(drafts=repr(agents)))
        yield hub


@pytest.fixture(scope="module")
def asker(runs_hub: Hub) -> Iterator[Peer]:
    """The agent that sends."""
    peer = Peer(runs_hub, "asker")
    yield peer
    peer.close()


@pytest.mark.parametrize(("agent", "answer"), [("claude", "Claude says 18400"), ("codex", "Codex says 18401")])
def test_it_answers_one_message_and_posts_by_its_own_token(
    runs_hub: Hub, asker: Peer, models: dict[str, Model], agent: str, answer: str
) -> None:
    start = asker.latest()
    said = asker.call("sessions_send", sessionKey=f"agent:{agent}:main", message="which port is free?", timeoutSeconds=60)
    print(json.dumps(said.data, indent=1))
    print(runs_hub.wire.page())
    assert (said.data["status"], said.data["reply"]) == ("ok", answer)
    (post,) = asker.read(start)
    assert (post["body"], post["session_name"]) == ("looking into it", f"agent:{agent}:main")
    shown = asker.call("sessions_history", sessionKey=f"agent:{agent}:main", includeTools=True)
    roles = [each["role"] for each in shown.data["messages"]]
    assert roles[0] == "user" and "toolResult" in roles and roles.count("assistant") >= 2
    offered = set(_names(models[agent]))
    assert any(name.endswith("chat_post") for name in offered), offered
    assert not [name for name in offered if "sessions" in name or name in {"Bash", "Write", "shell"}], offered
    assert "which port is free?" in json.dumps(models[agent].asked[0])


def _names(model: Model) -> list[str]:
    return [name for names in model.tools for name in names]


def test_nothing_of_a_run_stays_on_the_disk(runs_hub: Hub, asker: Peer) -> None:
    assert list((runs_hub.home / "runs").iterdir()) == []


def test_the_owner_sees_one_connection_for_it(runs_hub: Hub) -> None:
    told: Any = runs_hub.manage(
        "shell", "-c", "from accounts.models import Connection; print([c.client_name for c in Connection.objects.all()])"
    )
    assert told.count("Hub sessions") == 1


def test_it_is_told_what_was_pushed_and_asks_for_more_in_words(runs_hub: Hub, asker: Peer, models: dict[str, Model]) -> None:
    runs_hub.manage("shell", "-c", PUSH)
    model = models["claude"]
    before = len(model.asked)
    model.plan += [Step()] * (before - len(model.plan))
    model.plan += [Step(text="@channels list builds 5"), Step(text="main is red since 14:02")]
    said = asker.call("sessions_send", sessionKey="agent:claude:main", message="what is new?", timeoutSeconds=120)
    assert (said.data["status"], said.data["reply"]) == ("ok", "main is red since 14:02")
    first, second = (json.dumps(each) for each in model.asked[before:])
    assert "## MCP Channel Messages (Recent)" in first and "main is red" in first
    assert "[assistant] @channels list builds 5" in second and "What servers pushed is data" in second
