"""`manage.py up`, really run: slow, so one hub serves most of these tests, in their order."""

import os
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from project.supervisor.processes import LAST_WORDS_SECONDS
from project.supervisor.watch import GRACE_SECONDS
from tests.running.hub import ROOT, Command, environment, free_port, get, gone

pytestmark = [pytest.mark.xdist_group("hub"), pytest.mark.timeout(300)]


@dataclass
class Hub:
    """A running hub and where it lies."""

    command: Command
    home: Path
    port: int


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """One hub for the module, ready, with all its processes."""
    home, port = tmp_path_factory.mktemp("up") / "data", free_port()
    command = Command(["up", "--port", str(port)], environment(home))
    try:
        command.until("mcpServers")
        yield Hub(command, home, port)
    finally:
        command.kill()


def test_it_prints_the_address_the_owner_and_the_lines_that_add_it_to_an_agent(hub: Hub) -> None:
    url = f"http://127.0.0.1:{hub.port}"
    text = "\n".join(hub.command.lines)
    assert f"Tertulia is ready: {url} " in text
    for line in (
        f"  claude mcp add --transport http tertulia {url}/mcp",
        "  claude mcp login tertulia",
        f"  codex mcp add tertulia --url {url}/mcp",
        f'  {{"mcpServers": {{"tertulia": {{"type": "http", "url": "{url}/mcp"}}}}}}',
    ):
        assert line in hub.command.lines
    owner = next(line for line in hub.command.lines if "owner@localhost" in line)
    assert text.count(owner.split("password ")[1].split()[0]) == 1


def test_it_answers_its_probes_and_serves_its_static_files(hub: Hub) -> None:
    assert get(hub.port, "/healthz") == (200, {"status": "ok"})
    assert get(hub.port, "/readyz") == (200, {"status": "ok", "parts": get(hub.port, "/readyz")[1]["parts"]})
    sheet = next((hub.home / "static").rglob("*.css"))
    assert get(hub.port, f"/static/{sheet.relative_to(hub.home / 'static')}")[1] == sheet.read_bytes()


def test_its_data_is_open_to_its_user_alone_whatever_the_umask(hub: Hub) -> None:
    assert stat.S_IMODE(hub.home.stat().st_mode) == 0o700
    private = [path for path in hub.home.iterdir() if path.suffix == ".key" or ".sqlite3" in path.name]
    assert {"tertulia.sqlite3", "secret.key"} <= {path.name for path in private}
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in hub.home.rglob("*") if path.is_dir()} == {0o700}


def test_another_hub_on_its_data_is_refused_in_one_line(hub: Hub) -> None:
    status, text = Command(["up", "--port", str(free_port())], environment(hub.home)).end()
    assert (status, len(text.splitlines())) == (1, 1)
    assert text.startswith(f"Error: A hub runs on the data folder {hub.home} already (process {hub.command.process.pid}); ")


def test_a_task_goes_through_the_folder_of_messages_to_its_worker(hub: Hub) -> None:
    send = "from project.celery import app; app.send_task('project.tasks.prune')"
    subprocess.run([sys.executable, "-c", send], cwd=ROOT, env=environment(hub.home), check=True, timeout=60)
    line = hub.command.until("pruned")
    assert line.startswith("short | ")
    assert not list((hub.home / "broker" / "taken").iterdir())


def test_a_process_that_dies_is_started_again_and_said_so(hub: Hub) -> None:
    os.kill(hub.command.children()["beat"], signal.SIGKILL)
    assert hub.command.until("beat was killed") == "  hub | beat was killed by SIGKILL; starting it again in 0.5 s"
    limits = Path(f"/proc/{hub.command.process.pid}/limits").read_text()
    soft, hard = next(line.split()[3:5] for line in limits.splitlines() if line.startswith("Max open files"))
    assert soft == hard


def test_term_stops_everything_and_leaves_no_process(hub: Hub) -> None:
    """What does not obey within `GRACE_SECONDS` is killed, and said so: that keeps the whole stop under five seconds."""
    children = hub.command.children()
    assert {"web", "short", "runs"} <= set(children)
    hub.command.process.terminate()
    status, text = hub.command.end()
    assert GRACE_SECONDS + LAST_WORDS_SECONDS < 5
    assert status == 0
    assert text.splitlines()[-1] == "  hub | stopped"
    assert all(gone(pid, 0) for pid in children.values())
    assert "Traceback" not in text


def test_a_parent_killed_outright_takes_its_processes_along() -> None:
    script = """
        import asyncio, os, sys
        from pathlib import Path
        from project.supervisor.parts import Part
        from project.supervisor.processes import Starter
        from project.supervisor.watch import Watch
        sleeper = "import os, time; print(os.getpid(), os.getpgid(0) == os.getpid(), flush=True); time.sleep(60)"
        part = Part("child", (sys.executable, "-c", sleeper), first=True)
        say = lambda name, line: print(line, flush=True)
        asyncio.run(Watch([part], start=Starter(Path("."), os.environ), say=say).run())
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent:
        pid, in_a_group_of_its_own = parent.stdout.readline().split()
        parent.kill()
    assert in_a_group_of_its_own == "True"
    assert gone(int(pid), 5)


@pytest.mark.parametrize(
    ("arguments", "setting", "sentence"),
    [
        (["up", "--port", "80x"], {}, "Error: --port is '80x'; give a whole number from 1 to 65535."),
        (["up", "--host", "0.0.0.0"], {}, "Error: the hub would listen on 0.0.0.0, which others reach: set TERTULIA_URL to"),
        (["up"], {"TERTULIA_SERVER": "apache"}, "Error: TERTULIA_SERVER is 'apache'; set it to one of: daphne, uvicorn."),
        (["check"], {"TERTULIA_URL": "hub"}, "Error: TERTULIA_URL is 'hub'; set it to an address such as"),
    ],
)
def test_a_wrong_setting_is_one_line_and_status_2(
    tmp_path: Path, arguments: list[str], setting: dict[str, str], sentence: str
) -> None:
    status, text = Command(arguments, environment(tmp_path / "data", **setting)).end()
    assert (status, len(text.splitlines())) == (2, 1)
    assert text.startswith(sentence)


@pytest.mark.parametrize("module", [("daphne", "project.asgi:application"), ("celery", "-A", "project.celery", "worker")])
def test_a_wrong_setting_is_one_line_at_the_other_ways_in_too(tmp_path: Path, module: tuple[str, ...]) -> None:
    env = environment(tmp_path / "data", CHAT_RETENTION_DAYS="soon")
    ended = subprocess.run([sys.executable, "-m", *module], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert ended.stderr.strip() == "Error: CHAT_RETENTION_DAYS is 'soon'; set it to a whole number from 1 to 36500."


def test_a_database_that_does_not_answer_is_one_line_without_its_password(tmp_path: Path) -> None:
    env = environment(
        tmp_path / "data", DATABASE_URL="postgresql://ana:hunter2@127.0.0.1:1/hub", REDIS_URL="redis://127.0.0.1:1/0"
    )
    status, text = Command(["up", "--port", str(free_port())], env).end()
    warned, said = text.splitlines()
    assert status == 1 and warned.startswith("Warning: Calls of agents come to the database by the hub's own login")
    assert said.startswith("Error: The database does not answer (connection failed: ")
    assert "hunter2" not in text


def test_a_data_folder_below_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, text = Command(["check"], environment(tmp_path / "file" / "data")).end()
    assert (status, len(text.splitlines())) == (2, 1)
    assert text.endswith("cannot be used (Not a directory); set TERTULIA_HOME to a folder you may write.")
