"""Launches of this machine: the one this process belongs to, or those that run."""

import json
import os
from collections.abc import Iterator
from typing import Any

from tertulia.doctor.bridge import Bridge
from tertulia.doctor.findings import Finding, note, ok, problem
from tertulia.launch.runtime import ID, Running, connected
from tertulia.launch.runtime import launches as running
from tertulia.problems import Problem
from tertulia.tree import is_above, is_launched

SECONDS = 3.0
LARGEST = 1 << 16


def here() -> Running | None:
    """The launch that this process belongs to, if it runs."""
    return next((each for each in running() if each.key == os.environ.get(ID) or is_above(each)), None)


def look() -> Iterator[Finding]:
    """The launch around this process, with its bridge; else each that runs here."""
    own = here()
    if own is not None:
        yield from _one(own)
        yield _admitted(own)
    elif is_launched():
        sentence = "This process belongs to a launch whose launcher is gone; it has no chat any more."
        yield problem("launch", sentence, "leave the agent, then: tertulia launch -- COMMAND")
    elif not (found := running()):
        yield note("launch", "No agent of tertulia launch runs on this machine.", "tertulia launch -- COMMAND")
    else:
        for each in found:
            yield from _one(each)


def _one(launch: Running) -> Iterator[Finding]:
    piece = f"launch {launch.key}"
    try:
        told = _status(launch)
    except OSError:
        yield problem(piece, "Its launcher does not answer at its socket.", "leave the agent, then: tertulia launch -- COMMAND")
        return
    except ValueError:
        yield problem(piece, "Its launcher answers strangely; it may be of another version.", "start the agent anew")
        return
    yield ok(piece, f"{told.profile}: {told.harness or told.command} {told.harness_version}".rstrip() + "; its launcher answers.")
    yield _line_to_hub(piece, told)
    yield _verified(piece, told)
    yield _granted(piece, told)
    if not told.wakeable:
        yield note(piece, told.note or "It cannot be woken.", "start it in a pane of tmux")


def _line_to_hub(piece: str, told: Running) -> Finding:
    if told.connected:
        return ok(piece, f"Its launcher is connected to {told.hub}.")
    return problem(
        piece, f"Its launcher is not connected to {told.hub}: {told.last_error or 'it tries'}", f"tertulia login {told.hub}"
    )


def _verified(piece: str, told: Running) -> Finding:
    if told.start_token:
        return ok(piece, f"It is told from every other process; its pane is {told.pane_state}.")
    return problem(piece, told.note or "It cannot be told from other processes.", "run the agent on Linux")


def _granted(piece: str, told: Running) -> Finding:
    if not told.granted:
        return note(piece, "It is not granted the chat.", f"tertulia chat grant {told.key}")
    return ok(piece, f"It chats as @{told.handle}{' and is woken by a mention' if told.wake else ''}.")


def _status(launch: Running) -> Running:
    """What its launcher says now; raises OSError, ValueError."""
    with connected(launch.path, SECONDS) as link:
        link.sendall(b"status\n")
        raw = b""
        while len(raw) < LARGEST and (part := link.recv(LARGEST)):
            raw += part
    said: Any = json.loads(raw)
    names = set(Running.__dataclass_fields__)
    try:
        return Running(**{name: value for name, value in said.items() if name in names})
    except (AttributeError, TypeError):
        raise ValueError from None


def _admitted(launch: Running) -> Finding:
    try:
        with Bridge(launch.path) as bridge:
            bridge.greet()
    except (OSError, Problem) as refused:
        sentence = f"The launcher does not let this process through to the hub: {refused}"
        return problem("bridge", sentence, "run it from within the agent, or start the agent anew")
    return ok("bridge", "This process is let through to the hub as the agent.")
