"""A run executed by a program of this machine."""

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sessions_app.models import Run
from sessions_app.runners import execution
from sessions_app.runners.work import Pulse
from tests import make
from tests.runners.playing import PYTHON, asked, entries, script, worked


@pytest.fixture
def owner(db: None) -> make.Person:
    return make.person("ana@example.org", may_run_commands=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions_app.runners.command.process.LOOK_SECONDS", 0.02)
    monkeypatch.setattr("sessions_app.runners.command.process.LAST_WORDS_SECONDS", 0.1)


def command(who: make.Person, *argv: str, **more: Any) -> None:
    make.hub_agent(who, runner="command", argv=list(argv), **more)


def program(who: make.Person, folder: Path, body: str, **more: Any) -> None:
    command(who, script(folder, body), **more)


def test_what_it_prints_is_the_reply(owner: make.Person, tmp_path: Path) -> None:
    program(owner, tmp_path, "print(sys.stdin.read().upper())")
    run = worked(asked(owner, "hello"))
    assert (run.state, run.reply, run.error) == (Run.OK, "HELLO", "")
    assert [each["role"] for each in entries(run)] == ["user", "assistant"]


def test_the_message_is_one_argument_whatever_stands_in_it(owner: make.Person, tmp_path: Path) -> None:
    where = script(tmp_path, "print(json.dumps(sys.argv[1:])); print(len(sys.stdin.read()))")
    command(owner, where, "--say={message}", "{message}", "--model", "{model}", "{session_id}")
    run = worked(asked(owner, "$(id); `id` && 'x' {model} \"y\"", model="m-1"))
    said, rest = run.reply.splitlines()
    message = "$(id); `id` && 'x' {model} \"y\""
    assert json.loads(said) == [f"--say={message}", message, "--model", "m-1", str(run.session.session_id)]
    assert rest == "0"


def test_a_message_that_looks_like_an_option_is_none(owner: make.Person, tmp_path: Path) -> None:
    command(owner, script(tmp_path, "print(json.dumps(sys.argv[1:]))"), "{message}")
    assert json.loads(worked(asked(owner, "--dangerously-do-it")).reply) == [" --dangerously-do-it"]


def test_a_model_that_nobody_chose_takes_its_option_along(owner: make.Person, tmp_path: Path) -> None:
    command(owner, script(tmp_path, "print(json.dumps(sys.argv[1:]))"), "--fast", "--model", "{model}", "end")
    assert json.loads(worked(asked(owner)).reply) == ["--fast", "end"]


def test_o_110_a_child_really_uses_the_model_it_was_given(owner: make.Person, tmp_path: Path) -> None:
    command(owner, script(tmp_path, "print(sys.argv[1])"), "{model}", model="own", model_names=["own", "other"])
    run = worked(asked(owner, model="other"))
    run.session.refresh_from_db()
    assert run.reply == "other" and run.session.model == "other"


def test_it_sees_nothing_of_the_hubs_environment(owner: make.Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERTULIA_SECRET_KEY", "hidden")
    monkeypatch.setenv("DATABASE_URL", "postgres://hidden")
    monkeypatch.setenv("MY_KEY", "given")
    program(owner, tmp_path, "print(json.dumps(dict(os.environ)))", environment=["MY_KEY", "MISSING"])
    seen = json.loads(worked(asked(owner)).reply)
    assert seen["MY_KEY"] == "given" and "hidden" not in json.dumps(seen) and "MISSING" not in seen
    assert seen["TERTULIA_RUN_TOKEN"].startswith("tr-")


def test_the_configuration_is_private_and_gone_afterwards(owner: make.Person, tmp_path: Path) -> None:
    body = """
path = sys.argv[1]
held = json.load(open(path))["mcpServers"]["tertulia"]
print(json.dumps([path, oct(os.stat(path).st_mode & 0o777), oct(os.stat(os.path.dirname(path)).st_mode & 0o777), held]))
"""
    command(owner, script(tmp_path, body), "{mcp_config}")
    path, mode, folder, held = json.loads(worked(asked(owner)).reply)
    assert (mode, folder) == ("0o600", "0o700")
    assert held["url"].endswith("/mcp") and held["headers"]["Authorization"].startswith("Bearer tr-")
    assert not Path(path).exists() and not Path(path).parent.exists()


def test_it_is_told_who_it_is_and_what_was_said_before(owner: make.Person, tmp_path: Path) -> None:
    program(owner, tmp_path, "print(sys.stdin.read())", instructions="You are Ana's helper.")
    worked(asked(owner, "first"))
    told = worked(asked(owner, "second", context="Answer in one word.")).reply
    for part in ("You are Ana's helper.", "Answer in one word.", "[user] first", "The message to answer now:\nsecond"):
        assert part in told


def test_o_48_its_failure_is_told_with_its_cause(owner: make.Person, tmp_path: Path) -> None:
    program(owner, tmp_path, "print('half an answer'); print('the disk is full', file=sys.stderr); sys.exit(3)")
    run = worked(asked(owner))
    assert (run.state, run.reply) == (Run.ERROR, "")
    assert run.error == "The program ended with status 3: the disk is full"


@pytest.mark.parametrize(
    ("body", "state", "told"),
    [
        pytest.param("pass", Run.OK, "", id="no output"),
        pytest.param("os.write(1, bytes(range(256)))", Run.ERROR, "what is no text", id="binary"),
        pytest.param("print('a' + chr(0) + 'b')", Run.ERROR, "what is no text", id="a NUL"),
        pytest.param("sys.exit(137)", Run.ERROR, "killed (137)", id="exit 137"),
        pytest.param("os.kill(os.getpid(), 9)", Run.ERROR, "killed (137)", id="killed by a signal"),
        pytest.param("os.kill(os.getpid(), 11)", Run.ERROR, "signal 11", id="another signal"),
        pytest.param("while True: os.write(1, b'x' * 65536)", Run.ERROR, "more than 2,048 bytes", id="a flood"),
        pytest.param("os.close(1); os.close(2); time.sleep(0.1)", Run.OK, "", id="closed its output"),
    ],
)
def test_however_it_ends_its_status_is_clear(owner: make.Person, tmp_path: Path, body: str, state: str, told: str) -> None:
    program(owner, tmp_path, body, output_bytes=2048)
    run = worked(asked(owner))
    assert run.state == state and told in run.error and run.reply == ""


def test_control_characters_and_colours_do_not_enter_the_transcript(owner: make.Person, tmp_path: Path) -> None:
    program(owner, tmp_path, r"print('\x1b[31mred\x1b[0m\r\nnext')")
    assert worked(asked(owner)).reply == "[31mred[0m\nnext"


def test_a_program_that_does_not_read_a_long_message_ends_well(owner: make.Person, tmp_path: Path) -> None:
    program(owner, tmp_path, "print('done')")
    assert worked(asked(owner, "x" * 262_000)).reply == "done"


def test_one_that_is_missing_is_an_error_that_says_so(owner: make.Person) -> None:
    command(owner, "/nowhere/at-all")
    assert "could not be started" in worked(asked(owner)).error


def test_one_whose_working_directory_is_missing_is_an_error_that_says_so(owner: make.Person) -> None:
    command(owner, PYTHON, "-c", "pass", working_directory="/nowhere/at-all")
    assert "could not be started" in worked(asked(owner)).error


def test_without_leave_to_run_commands_nothing_is_started(owner: make.Person, tmp_path: Path) -> None:
    program(owner, tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')")
    owner.user.may_run_commands = False
    owner.user.save()
    run = worked(asked(owner))
    assert run.state == Run.ERROR and "may not run commands" in run.error
    assert not (tmp_path / "ran").exists()


def test_one_that_hangs_is_ended_with_all_it_started(owner: make.Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its clock is moved on once it has written down who it started."""
    pids = tmp_path / "pids"
    body = f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(pids)!r} + "x", "w").write(f"{{os.getpid()}} {{child.pid}}")
os.rename({str(pids)!r} + "x", {str(pids)!r})
time.sleep(600)
"""
    program(owner, tmp_path, body)
    monkeypatch.setattr(Pulse, "reason", property(lambda pulse: "timed_out" if pids.exists() else ""))
    run = worked(asked(owner, timeout_seconds=7))
    assert (run.state, run.error) == (Run.TIMED_OUT, "It took longer than 7 seconds.")
    run.session.refresh_from_db()
    assert run.session.aborted_last_run
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_what_it_leaves_behind_is_ended_too(owner: make.Person, tmp_path: Path) -> None:
    body = """
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid)
"""
    program(owner, tmp_path, body)
    assert gone(int(worked(asked(owner)).reply))


def gone(pid: int) -> bool:
    """Whether a process is no more, or only waits to be reaped."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                return True
        except FileNotFoundError:
            return True
        threading.Event().wait(0.02)
    os.kill(pid, signal.SIGKILL)
    return False


def test_a_pulse_that_finds_its_claim_gone_ends_the_work() -> None:
    beaten: list[float] = []

    def beat() -> bool:
        beaten.append(time.monotonic())
        return len(beaten) < 2

    with Pulse(beat, seconds=None, every=0.001) as pulse:
        for _ in range(2000):
            if pulse.reason:
                break
            threading.Event().wait(0.001)
        assert (pulse.reason, len(beaten)) == ("stopped", 2)


def test_a_pulse_knows_when_its_time_is_over() -> None:
    now = [100.0]
    pulse = Pulse(lambda: True, seconds=5, clock=lambda: now[0])
    assert pulse.reason == "" and pulse.left() == 5
    now[0] = 105.0
    assert pulse.reason == "timed_out" and pulse.left() == 0


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


def test_a_run_that_another_took_over_leaves_nothing_behind(owner: make.Person, tmp_path: Path) -> None:
    """Its worker stood still for longer than the lease: what it brings then is dropped."""
    program(owner, tmp_path, "print('late')")
    run = asked(owner)
    from sessions_app.runs import actions

    real = actions.finish
    taken: list[Run] = []

    def another_first(*args: Any) -> Run:
        Run.objects.filter(pk=run.pk).update(lease="another")
        taken.append(run)
        return real(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(actions, "finish", another_first)
        assert execution.work(run.pk)
    run.refresh_from_db()
    assert run.state == Run.RUNNING and taken and run.reply == ""
    assert [each["role"] for each in entries(run)] == ["user"]
