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
from tests.runners.playing import PYTHON, asked, command, entries, program, script, worked

pytestmark = pytest.mark.usefixtures("quick")


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
