"""The owner's verbs refuse within the process tree of an agent that was launched; waiting there is the hub's to refuse."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tertulia.launch.identity import start_token
from tertulia.launch.runtime import Running, make_folder
from tertulia.surroundings import world
from tertulia.tree import is_agents

from tests.client.conftest import Cli
from tests.client.stub import Stub, message, page, refused, signed_in
from tests.client.test_program import program
from tests.owner_verbs.conftest import Person

VERBS = (
    ("chat",),
    ("chat", "post", "hi"),
    ("chat", "read"),
    ("chat", "topics"),
    ("chat", "topic-create", "x"),
    ("chat", "topic-archive", "x"),
    ("chat", "grants"),
    ("chat", "grant", "lead"),
    ("chat", "revoke", "lead"),
    ("chat", "prune"),
    ("chat", "purge", "--yes"),
    ("chat", "wait", "--maintainer"),
    ("chat", "tail", "--maintainer"),
)
KEY = "l-0123456789abcdef"


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_t_38_no_verb_of_the_owner_works_with_a_launchs_environment(
    hub: Stub, cli: Cli, person: Person, monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TERTULIA_LAUNCH_ID", KEY)
    said = cli(*verb)
    assert (said.code, said.out, said.err.count("\n")) == (5, "", 1) and "a terminal of your own" in said.err
    assert not hub.asked and not person.read


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_no_verb_of_the_owner_works_in_a_program_that_a_hub_runs(
    hub: Stub, cli: Cli, person: Person, monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TERTULIA_RUN_TOKEN", "tr-x")
    assert cli(*verb).code == 5 and not hub.asked and not person.read


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where launches have their folders: short, for the paths of sockets are."""
    with tempfile.TemporaryDirectory(prefix="run-") as place:
        monkeypatch.setenv("XDG_RUNTIME_DIR", place)
        yield Path(place)


def tree(command: list[str], environment: dict[str, str], *, began: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command as the grandchild of a shell that passes for a launched agent."""
    script = 'read -r go; sh -c \'"$@"; exit $?\' below "$@"'
    agent = subprocess.Popen(
        ["sh", "-c", script, "agent", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    folder = make_folder(KEY)
    running = Running(KEY, pid=agent.pid, start_token=began or start_token(agent.pid), folder=str(folder))
    running.save()
    out, err = agent.communicate("go\n", timeout=30)
    return subprocess.CompletedProcess(command, agent.returncode, out, err)


def test_t_38_no_verb_of_the_owner_works_below_a_live_launch(home: Path, runtime: Path) -> None:
    signed_in()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TERTULIA_LAUNCH")}
    done = tree(program("chat", "post", "hi"), environment)
    assert (done.returncode, done.stdout) == (5, "") and "not for an agent" in done.stderr


def test_t_38_another_process_of_the_same_number_makes_nobody_an_agent(home: Path, runtime: Path) -> None:
    done = tree(program("chat", "post", "hi"), dict(os.environ), began="another-boot:1")
    assert done.returncode == 1 and "not signed in" in done.stderr


def test_the_owner_beside_a_live_launch_is_none_of_its(home: Path, runtime: Path) -> None:
    with subprocess.Popen(["sh", "-c", "read -r go"], stdin=subprocess.PIPE) as agent:
        running = Running(KEY, pid=agent.pid, start_token=start_token(agent.pid), folder=str(make_folder(KEY)))
        running.save()
        beside = is_agents()
        replace(running, pid=os.getpid(), start_token=start_token(os.getpid())).save()
        assert (beside, is_agents()) == (False, True)
        agent.communicate(b"go\n", timeout=30)


def test_an_agent_waits_as_far_as_the_hub_lets_it(hub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in()
    world.interactive = lambda: False
    monkeypatch.setenv("TERTULIA_LAUNCH_ID", KEY)
    hub.says("/chat", page(message(1)), refused(403, "chat_not_granted", "Only granted launches chat here."))
    assert cli("chat", "wait").code == 0
    said = cli("chat", "wait")
    assert (said.code, said.err) == (5, "tertulia: Only granted launches chat here.\n")
