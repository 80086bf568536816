"""`tertulia launch`: the agent in this terminal, its companion beside it."""

import contextlib
import json
import os
import re
import shlex
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from tertulia.inert import line
from tertulia.launch import runtime
from tertulia.launch.harness import name_of, started_with
from tertulia.launch.identity import start_token
from tertulia.launch.runtime import FOLDER, ID, Running
from tertulia.launch.terminal import Job, end_as, forked_apart
from tertulia.problems import Problem
from tertulia.store.credentials import Credentials, SignIn

PROFILE = re.compile(r"[a-z0-9-]{1,32}")


def launch(command: list[str], *, profile: str | None, hub: str | None) -> NoReturn:
    """Start the command, and end as it ends; raises Problem where it cannot be started, or nobody is signed in."""
    held = Credentials().find(hub)
    called = _profile(command, profile)
    key = runtime.new_key()
    folder = runtime.make_folder(key)
    try:
        _run(command, held, Running(key, hub=held.hub, profile=called, harness=name_of(command), folder=str(folder)))
    except (Problem, KeyboardInterrupt):
        runtime.remove(folder)
        raise


@dataclass(frozen=True, slots=True)
class Launch:
    """What the companion is given."""

    held: SignIn
    running: Running
    command: list[str]
    environment: Mapping[str, str]
    door: socket.socket


def _run(command: list[str], held: SignIn, running: Running) -> NoReturn:
    """The agent is forked before whatever starts a thread or takes long to load."""
    marks = {ID: running.key, FOLDER: running.folder}
    environment = {**os.environ, **marks}
    door = runtime.listen(running.path)
    job = Job(started_with(command, marks), environment)
    job.start()
    running.pid, running.start_token = job.pid, start_token(job.pid)
    running.command = line(shlex.join(command), 200)
    tells = _beside(Launch(held, running, command, environment, door))
    status = job.wait()
    if not _tell(tells, status):
        runtime.remove(running.path)
    end_as(status)


def _beside(launch: Launch) -> int:
    """Fork the companion; the end of the pipe on which it is told how the agent ended."""
    hears, tells = os.pipe()
    if forked_apart():
        os.close(hears)
        launch.door.close()
        return tells
    os.close(tells)
    from tertulia.launch.companion import become

    become(launch, hears)


def _tell(tells: int, status: int) -> bool:
    """Whether the companion is there to hear it; where it is gone, the hub finds out."""
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    with contextlib.suppress(BrokenPipeError):
        return os.write(tells, json.dumps(code).encode()) > 0
    return False


def _profile(command: list[str], given: str | None) -> str:
    if given is not None and not PROFILE.fullmatch(given):
        raise Problem(f"{line(given, 80)!r} is no profile; give --profile 1 to 32 of a-z, 0-9 and -.")
    return given or re.sub(r"[^a-z0-9-]+", "-", name_of(command).lower()).strip("-")[:32] or "agent"
