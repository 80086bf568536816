"""A hook as a whole process, under a real launcher at a real hub: not launched, ungranted, granted without and with a mention."""

import contextlib
import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench import stage
from bench.figures import Figure, Rounds

COUNT = 40
HANDLE = "lead"
SHELL, PYTHON = "sh -c :", "python -I -S -c pass"
NOT_LAUNCHED, UNGRANTED = "hook, not launched", "hook, launched and ungranted"
QUIET, TOLD = "hook, granted, nothing unread", "hook, granted, with a mention"
SHORT_MOST, LONG_MOST = 3.0, 20.0
EVENT = json.dumps({"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": "Go on with the parser."})
AGENT = Path(__file__).with_name("hook_agent.py")
WAIT_SECONDS = 30
FLOORS = {SHELL: ["sh", "-c", ":"], PYTHON: [sys.executable, "-I", "-S", "-c", "pass"]}


class Agent:
    """What runs under the launcher."""

    def __init__(self, process: "subprocess.Popen[str]", hook: Path) -> None:
        self._process, self._hook = process, ["sh", str(hook), "claude"]

    def round(self, *hooks: str) -> dict[str, Any]:
        """Seconds of the floors and of these hooks in turns, and what each printed last."""
        commands = {name: {"words": words, "launched": True} for name, words in FLOORS.items()}
        commands |= {name: {"words": self._hook, "launched": name != NOT_LAUNCHED} for name in hooks}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"commands": commands, "count": COUNT, "event": EVENT}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.line())
        return answer

    def line(self) -> str:
        """The next line it prints."""
        assert self._process.stdout is not None
        return self._process.stdout.readline()


def measure(home: Path, given: Namespace) -> list[Figure]:
    """The owner grants and posts between the rounds; each phase has its own rounds of the floors."""
    from tertulia.launch import hookfiles

    person = stage.people(1, connections=2)[0]
    os.environ |= {"TERTULIA_CLIENT_HOME": str(home / "client"), "XDG_RUNTIME_DIR": str(home / "run")}
    (home / "run").mkdir(mode=0o700)
    _sign_in(person.tokens[0])
    with stage.hub(), _launched() as process:
        agent = Agent(process, hookfiles.install())
        assert agent.line() == "ready\n"
        folder = _until(lambda: next((home / "run").glob("tertulia/l-*/socket"), None)).parent
        before = _rounds(agent, given.rounds, {NOT_LAUNCHED: False, UNGRANTED: False})
        _grant(person.account_id)
        _until(lambda: (folder / "granted").exists())
        quiet = _rounds(agent, given.rounds, {QUIET: False})
        _mention(person.account_id)
        told = _rounds(agent, given.rounds, {TOLD: True})
    return [
        before.figure(SHELL),
        before.figure(PYTHON),
        _figure(before, NOT_LAUNCHED, most=SHORT_MOST),
        _figure(before, UNGRANTED, most=SHORT_MOST),
        _figure(quiet, QUIET, most=LONG_MOST),
        _figure(told, TOLD, most=LONG_MOST),
        told.figure(TOLD, part=0.95),
    ]


def _figure(rounds: Rounds, hook: str, *, most: float) -> Figure:
    """Its median, held to milliseconds; beside it how many times the floors that is, and the processor time of all three."""
    detail = {
        "times": {floor: round(rounds.ratio(hook, floor), 2) for floor in FLOORS},
        "processor_ms": {name: round(rounds.ms(f"{name}, processor"), 2) for name in (hook, *FLOORS)},
    }
    return Figure(name=f"{hook}, p50", value=rounds.ms(hook), unit="ms", most=most, detail=detail)


def _rounds(agent: Agent, count: int, hooks: dict[str, bool]) -> Rounds:
    """Rounds of hooks, of which each says something or nothing; one more before them warms everything up."""
    rounds = Rounds()
    for number in range(count + 1):
        answer = agent.round(*hooks)
        for name, speaks in hooks.items():
            assert bool(answer["said"][name]) == speaks, (name, answer["said"][name])
        if number:
            for name, seconds in answer["seconds"].items():
                rounds.add(name, seconds)
            for name, used in answer["processor"].items():
                rounds.add(f"{name}, processor", used)
    return rounds


@contextlib.contextmanager
def _launched() -> Iterator["subprocess.Popen[str]"]:
    words = [sys.executable, "-m", "tertulia", "launch", "--profile", HANDLE, "--", sys.executable, str(AGENT)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(WAIT_SECONDS)


def _sign_in(token: str) -> None:
    from django.conf import settings
    from tertulia.store.credentials import Credentials, SignIn

    hub = settings.TERTULIA_URL
    Credentials().keep(SignIn(hub, "bench", token, "none", f"{hub}/o/token/", f"{hub}/o/revoke/"))


def _owner(account_id: int) -> Any:
    from accounts.models import Account
    from core.actor import Actor, Door

    owner = Account.objects.get(pk=account_id).owner
    return Actor(door=Door.PAGE, account_id=account_id, user_id=owner.pk, label=owner.email)


def _grant(account_id: int) -> None:
    from accounts.models import Launch
    from chat.grants.actions import grant

    launch = _until(lambda: Launch.objects.filter(account_id=account_id).first())
    grant(_owner(account_id), launch_key=launch.key, handle=HANDLE, typed=HANDLE)


def _mention(account_id: int) -> None:
    from chat.actions import post_as_owner
    from chat.values import Draft

    post_as_owner(_owner(account_id), Draft(body=f"@{HANDLE} please look at the parser", session_name=""))


def _until(look: Callable[[], Any]) -> Any:
    """What `look` finds, once it finds something."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not (found := look()):
        assert time.monotonic() < deadline, "what was waited for did not come"
        time.sleep(0.02)
    return found
