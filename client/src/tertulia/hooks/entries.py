"""Our entries among the hooks of a harness's JSON, in the shape that Claude Code and Codex share. Pure.

`{"hooks": {EVENT: [{"hooks": [{"type": "command", "command": …}]}]}}`. What others put there keeps its place and its number:
Codex trusts a hook by where it stands.
"""

import shlex
from pathlib import PurePath
from typing import Any

from tertulia.launch.hookfiles import SHELL_FILE
from tertulia.problems import Problem

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop")
TIMEOUT_SECONDS = 5
"""What a harness may wait; our hook ends within a fifth of a second."""
Settings = dict[str, Any]


def with_ours(settings: Settings, command: str) -> Settings:
    """The settings with our command at each event, once; raises Problem for hooks of another shape."""
    return _told(settings, dict.fromkeys(EVENTS, command))


def without_ours(settings: Settings) -> Settings:
    """The settings without any entry of ours, and without what is empty by that; raises Problem for hooks of another shape."""
    return _told(settings, {})


def _told(settings: Settings, wanted: dict[str, str]) -> Settings:
    before = {event: _groups(groups) for event, groups in _hooks(settings).items()}
    hooks = {event: _kept(groups, wanted.get(event, "")) for event, groups in before.items()}
    for event, command in wanted.items():
        groups = hooks.setdefault(event, [])
        if not any(is_ours(handler) for group in groups for handler in group["hooks"]):
            groups.append({"hooks": [{"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}]})
    hooks = {event: groups for event, groups in hooks.items() if groups or before.get(event) == []}
    if hooks or settings.get("hooks") == {}:
        return {**settings, "hooks": hooks}
    return {name: value for name, value in settings.items() if name != "hooks"}


def is_ours(handler: Any) -> bool:
    """Whether a hook is the shell file of some version of this client."""
    command = handler.get("command") if isinstance(handler, dict) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    return any(PurePath(word).name == SHELL_FILE for word in words)


def _kept(groups: list[Settings], command: str) -> list[Settings]:
    """The groups with the first entry of ours under this command, where there is one, and no other."""
    kept = []
    for group in groups:
        handlers = []
        for handler in group["hooks"]:
            if not is_ours(handler):
                handlers.append(handler)
            elif command:
                handlers.append({**handler, "command": command})
                command = ""
        if handlers or not group["hooks"]:
            kept.append({**group, "hooks": handlers})
    return kept


def _hooks(settings: Settings) -> dict[str, Any]:
    found = settings.get("hooks", {})
    if not isinstance(found, dict):
        raise _strange("hooks", "an object")
    return found


def _groups(groups: Any) -> list[Settings]:
    sound = isinstance(groups, list) and all(isinstance(each, dict) and isinstance(each.get("hooks"), list) for each in groups)
    if not sound:
        raise _strange("each event under hooks", 'a list of {"hooks": […]}')
    return list(groups)


def _strange(what: str, shape: str) -> Problem:
    return Problem(f"{what} is not {shape}; mend it, or put our entries there yourself: see --print")
