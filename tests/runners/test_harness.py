"""A run executed by a harness: what it is given, and what is heard of its events."""

import json
from pathlib import Path
from typing import Any

import pytest

from sessions_app.models import Run
from tests import make
from tests.runners.playing import asked, entries, program, worked

pytestmark = pytest.mark.usefixtures("quick")
OK = {"type": "text", "text": "ok"}
CLAUDE: list[Any] = [
    {"type": "system", "subtype": "init", "model": "opus", "mcp_servers": [{"name": "tertulia", "status": "connected"}]},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t1",
     "name": "mcp__tertulia__chat_read", "input": {"after": 0}}], "usage": {"input_tokens": 10, "output_tokens": 5}}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}},
    {"type": "something_new", "x": 1},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}],
     "usage": {"input_tokens": 20, "output_tokens": 7}}},
    {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "total_cost_usd": 0.0123,
     "usage": {"input_tokens": 30, "cache_read_input_tokens": 70, "output_tokens": 12}},
]  # fmt: skip
CODEX: list[Any] = [
    {"type": "thread.started", "thread_id": "x"},
    {"type": "item.completed", "item": {"id": "i0", "type": "agent_message", "text": "I look."}},
    {"type": "item.completed", "item": {"id": "t1", "type": "mcp_tool_call", "server": "tertulia", "tool": "chat_read",
     "arguments": {"after": 0}, "result": {"content": [{"type": "text", "text": "ok"}]}, "error": None, "status": "completed"}},
    {"type": "item.completed", "item": {"id": "i1", "type": "agent_message", "text": "Done."}},
    {"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 70, "output_tokens": 12}},
]  # fmt: skip
PI: list[Any] = [
    {"type": "message_end", "message": {"role": "assistant", "content": [{"type": "text", "text": "I look."}, {"type": "toolCall",
     "id": "t1", "name": "mcp__tertulia__chat_read", "arguments": {"after": 0}}],
     "usage": {"input": 40, "output": 5, "cost": {"total": 0.01}}}},
    {"type": "tool_execution_end", "toolCallId": "t1", "toolName": "chat_read", "result": {"content": [OK]}},
    {"type": "message_end", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}],
     "usage": {"input": 60, "output": 7, "cost": {"total": 0.0023}}}},
    {"type": "agent_end", "messages": []},
]  # fmt: skip


@pytest.mark.parametrize(("preset", "lines", "cost"), [("claude", CLAUDE, 12300), ("codex", CODEX, None), ("pi", PI, 12300)])
def test_a_harness_is_heard_event_by_event(
    owner: make.Person, tmp_path: Path, preset: str, lines: list[Any], cost: int | None
) -> None:
    told = "\n".join(["not json", *(json.dumps(each) for each in lines), "[1]", '{"type": "assistant"}'])
    program(owner, tmp_path, f"sys.stdin.read(); print({told!r})", preset=preset)
    run = worked(asked(owner))
    assert (run.state, run.reply, run.error) == (Run.OK, "Done.", "")
    assert (run.input_tokens, run.output_tokens, run.cost) == (100, 12, cost)
    kinds = [each["role"] for each in entries(run)]
    assert kinds[0] == "user" and kinds[-3:] == ["assistant", "toolResult", "assistant"]
    (call,) = [b for e in entries(run) if isinstance(e["content"], list) for b in e["content"] if b.get("type") == "toolCall"]
    assert call["arguments"] == {"after": 0} and call["name"].endswith("chat_read")


@pytest.mark.parametrize(
    ("preset", "lines", "told"),
    [
        pytest.param("claude", [{"type": "result", "subtype": "error_max"}], "error_max", id="turns"),
        pytest.param(
            "claude",
            [{"type": "system", "subtype": "init", "mcp_servers": [{"name": "tertulia", "status": "failed"}]}, CLAUDE[-1]],
            "could not reach the hub's tools",
            id="no tools",
        ),
        pytest.param("claude", [], "ended without telling how", id="silent"),
        pytest.param("codex", [{"type": "turn.failed", "error": {"message": "no credit"}}], "no credit", id="codex failed"),
        pytest.param("pi", [{"type": "message_end", "message": {"role": "assistant", "content": [], "stopReason": "error",
                     "errorMessage": "no key"}}], "no key", id="pi failed"),
    ],
)  # fmt: skip
def test_a_harness_that_fails_says_why(owner: make.Person, tmp_path: Path, preset: str, lines: list[Any], told: str) -> None:
    said = "\n".join(json.dumps(each) for each in lines)
    program(owner, tmp_path, f"print({said!r})", preset=preset)
    run = worked(asked(owner))
    assert run.state == Run.ERROR and told in run.error and run.reply == ""


def test_the_harness_gets_the_tools_of_the_whitelist_alone(owner: make.Person, tmp_path: Path) -> None:
    body = "print(json.dumps({'type': 'result', 'result': json.dumps(sys.argv[1:])}))"
    program(owner, tmp_path, body, preset="claude", tools=["chat_re*", "Read"], model="opus")
    words = json.loads(worked(asked(owner)).reply)
    at = {words[index]: words[index + 1] for index in range(len(words) - 1)}
    assert at["--tools"] == "Read" and at["--allowedTools"] == "Read,mcp__tertulia__chat_read"
    assert at["--permission-mode"] == "dontAsk" and "--strict-mcp-config" in words and at["--model"] == "opus"
    assert "tr-" not in " ".join(words)


def test_codex_is_given_its_token_by_the_environment(owner: make.Person, tmp_path: Path) -> None:
    item = "{'type': 'item.completed', 'item': {'type': 'agent_message', 'text': json.dumps(sys.argv[1:])}}"
    program(owner, tmp_path, f"print(json.dumps({item})); print(json.dumps({{'type': 'turn.completed'}}))", preset="codex")
    words = json.loads(worked(asked(owner)).reply)
    assert 'mcp_servers.tertulia.bearer_token_env_var="TERTULIA_RUN_TOKEN"' in words and words[-1] == "-"
    assert "tr-" not in " ".join(words) and "shell_tool" in words
