"""Runs as a worker executes them, in the test's own thread."""

import stat
import sys
from pathlib import Path
from typing import Any

from sessions_app.models import Entry, Run
from sessions_app.runners import execution
from sessions_app.runs import actions
from sessions_app.values import Asked
from tests import make

PYTHON = sys.executable


def asked(who: make.Person, message: str = "hello", *, key: str = "main", **more: object) -> Run:
    """A queued run in a session."""
    held = make.session(who, key)
    return actions.begin(who.actor, held, Asked(message=message, purpose=Run.OWNER, **more))  # type: ignore[arg-type]


def worked(run: Run) -> Run:
    """The run as a worker left it."""
    assert execution.work(run.pk)
    run.refresh_from_db()
    return run


def entries(run: Run) -> list[dict[str, object]]:
    """The transcript of its session."""
    return list(Entry.objects.filter(session=run.session_id).order_by("seq").values_list("message", flat=True))


def script(folder: Path, body: str, name: str = "program") -> str:
    """A Python program; its path."""
    file = folder / name
    file.write_text(f"#!{PYTHON}\nimport json, os, sys, time\n{body}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


def command(who: make.Person, *argv: str, **more: Any) -> None:
    """The account's own agent is this command."""
    make.hub_agent(who, runner="command", argv=list(argv), **more)


def program(who: make.Person, folder: Path, body: str, **more: Any) -> None:
    """The account's own agent is a Python program, which reads the message."""
    command(who, script(folder, body), **more)
