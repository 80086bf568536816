"""An agent that the owner launches beside the hub: his client, signed in; a harness that begins when he has granted it."""

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from e2e.harness import Ran, Room, program
from e2e.hub import Hub

CLIENT = Path(sys.executable).with_name("tertulia")
SECONDS = 60.0


class Desk:
    """The owner at a terminal of his own in one room, with the client `tertulia`, signed in."""

    def __init__(self, hub: Hub, room: Room) -> None:
        self.hub, self.room = hub, room
        room.add(CLIENT)
        self.run("login", hub.url).checked()

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> Ran:
        """`tertulia …` without a terminal."""
        return self.room.run(["tertulia", *words], env=env)

    def at_terminal(self, *words: str, answers: Sequence[tuple[str, str]]) -> str:
        """`tertulia …` on a terminal; each answer is typed once its question stands there. All that was shown."""
        command = ["script", "-qec", shlex.join(["tertulia", *words]), "/dev/null"]
        shown, before = b"", 0
        with subprocess.Popen(
            command, cwd=self.room.work, env=self.room.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            for question, answer in answers:
                while question.encode() not in shown[before:] and (read := process.stdout.read1(4096)):  # type: ignore[attr-defined]
                    shown += read
                assert question.encode() in shown[before:], shown.decode()
                before = len(shown)
                process.stdin.write(f"{answer}\r".encode())
                process.stdin.flush()
            shown += process.stdout.read()
            assert process.wait(SECONDS) == 0, shown.decode()
        return shown.decode()

    def grant(self, profile: str, *options: str) -> str:
        """`tertulia chat grant`, the password and the handle typed; what it said."""
        answers = [("Password", self.hub.owner.password), ("Type the handle", profile)]
        return self.at_terminal("chat", "grant", profile, *options, answers=answers)

    def revoke(self, profile: str) -> str:
        """`tertulia chat revoke`, the password typed."""
        return self.at_terminal("chat", "revoke", profile, answers=[("Password", self.hub.owner.password)])

    def launch_of(self, profile: str) -> dict[str, Any]:
        """The newest launch of a profile, as the hub lists it."""
        rows: list[dict[str, Any]] = json.loads(self.run("chat", "grants", "--json").checked().out)["results"]
        return next((row for row in rows if row["profile"] == profile), {})

    def until(self, profile: str, **wanted: object) -> dict[str, Any]:
        """The launch once it is as wanted."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            found = self.launch_of(profile)
            if found and all(found.get(name) == value for name, value in wanted.items()):
                return found
            time.sleep(0.2)
        raise AssertionError(f"{profile} never was {wanted}: {found}")


class Waiting:
    """A harness that stands where the real one would, and becomes it once `go` was said."""

    def __init__(self, room: Room, name: str) -> None:
        self._go = room.home / f"go-{name}"
        real = shlex.quote(str(program(name)))
        script = room.home.parent / name
        script.write_text(
            f'#!/bin/sh\n[ "$*" = --version ] && exec {real} --version\n'
            f'while [ ! -e {shlex.quote(str(self._go))} ]; do sleep 0.1; done\nexec {real} "$@"\n'
        )
        script.chmod(0o755)
        room.add(script)

    def go(self) -> None:
        """Let it begin."""
        self._go.touch()


@contextmanager
def launching(desk: Desk, profile: str, command: Sequence[str], env: Mapping[str, str]) -> "Iterator[subprocess.Popen[str]]":
    """`tertulia launch` of a command, ended with the context."""
    process = desk.room.start(["tertulia", "launch", "--profile", profile, "--", *command], env=env)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=30)


class Tmux:
    """A tmux server of its own, whose one pane runs what is launched there."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._socket = str(room.home / "tmux.sock")

    def __call__(self, *words: str, env: Mapping[str, str] | None = None) -> str:
        """One command of it."""
        return self.room.run([shutil.which("tmux") or "tmux", "-S", self._socket, *words], env=env).checked().out

    def shown(self) -> str:
        """What its pane shows."""
        return self("capture-pane", "-p")

    def until(self, text: str, seconds: float = SECONDS) -> str:
        """What the pane shows once the text stands there."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if text in (shown := self.shown()):
                return shown
            time.sleep(0.3)
        raise AssertionError(f"{text!r} never stood in the pane:\n{shown}")
