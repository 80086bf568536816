"""The hooks of each harness, and whether Codex trusts them."""

import json
import shutil
import subprocess
import threading
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from tertulia.doctor.findings import Finding, note, ok, problem
from tertulia.hooks.entries import EVENTS, is_ours
from tertulia.hooks.harnesses import HARNESSES, Harness
from tertulia.problems import Problem

CODEX_SECONDS = 15.0
LIST = 2
TRUSTED = frozenset({"trusted", "managed"})


def look(launched: Collection[str]) -> Iterator[Finding]:
    """Each harness that is here. `launched`: those that run under a launch now, whose hooks are missed."""
    for harness in HARNESSES.values():
        if harness.name in launched or shutil.which(harness.name):
            yield from _one(harness, needed=harness.name in launched)


def _one(harness: Harness, *, needed: bool) -> Iterator[Finding]:
    piece, mend = f"{harness.name} hooks", f"tertulia hooks install {harness.name}"
    try:
        places = {str(harness.path(project=project)) for project in (False, True) if harness.is_installed(project=project)}
    except Problem as broken:
        yield problem(piece, str(broken), f"mend that file, then: {mend}")
        return
    if not places:
        sentence = "Not installed: this agent is told of mentions only when it looks itself."
        yield problem(piece, sentence, mend) if needed else note(piece, "Not installed.", mend)
        return
    yield ok(piece, f"Installed in {' and '.join(sorted(places))}.")
    if harness.name == "codex" and shutil.which("codex"):
        yield _trusted()


def _trusted() -> Finding:
    piece, mend = "codex trust", "start codex, type /hooks, and trust the entries of tertulia-hook"
    try:
        hooks = [each for each in codex_hooks(Path.cwd()) if is_ours(each)]
    except (OSError, ValueError, subprocess.SubprocessError):
        return note(piece, "Codex did not say whether it trusts its hooks.", mend)
    trusted = [each for each in hooks if each.get("trustStatus") in TRUSTED and each.get("enabled") is not False]
    if len(trusted) >= len(EVENTS):
        return ok(piece, "Codex trusts the hooks.")
    sentence = f"Codex trusts {len(trusted)} of our {len(EVENTS)} hooks, and skips the others in silence."
    return problem(piece, sentence, mend)


def codex_hooks(folder: Path) -> list[dict[str, Any]]:
    """What Codex itself says of the hooks it would run in a folder, by its app server; raises OSError, ValueError,
    SubprocessError."""
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "tertulia", "version": "0"}}},
        {"method": "initialized"},
        {"id": LIST, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    ]
    with subprocess.Popen(
        ["codex", "app-server"],  # noqa: S607 - the person's own
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        limit = threading.Timer(CODEX_SECONDS, server.kill)
        limit.start()
        try:
            return _hooks_in(_answer(server, asked))
        finally:
            limit.cancel()
            server.kill()


def _answer(server: "subprocess.Popen[bytes]", asked: list[dict[str, Any]]) -> Any:
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in asked))
    server.stdin.flush()
    for line in server.stdout:
        said = json.loads(line)
        if isinstance(said, dict) and said.get("id") == LIST:
            return said.get("result")
    raise ValueError("it ended without an answer")


def _hooks_in(result: Any) -> list[dict[str, Any]]:
    folders = result.get("data") if isinstance(result, dict) else None
    if not isinstance(folders, list):
        raise ValueError("another answer")
    return [hook for each in folders if isinstance(each, dict) for hook in each.get("hooks", []) if isinstance(hook, dict)]
