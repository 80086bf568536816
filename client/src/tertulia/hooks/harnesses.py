"""Where each harness is told of our hook, and how. One class a kind of file, one line of HARNESSES a harness."""

import json
import os
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tertulia.hooks import entries, files
from tertulia.inert import line
from tertulia.launch import hookfiles
from tertulia.launch.harness import BRIDGE
from tertulia.problems import Problem

EXTENSION = Path(__file__).with_name("tertulia.js")


@dataclass(frozen=True, slots=True)
class Harness(ABC):
    """One harness. `name`: as the first word of its command; `after`: what its person does once our hook is installed.

    `home`: the variable that names its folder, and that folder where it is not set; `own`: the file there; `shared`: the file
    in a project.
    """

    name: str
    home: tuple[str, str]
    own: str
    shared: str
    after: str

    def path(self, *, project: bool) -> Path:
        """The file, this person's or that of the project in the current folder."""
        variable, usual = self.home
        return Path(self.shared).absolute() if project else Path(os.environ.get(variable) or Path(usual).expanduser()) / self.own

    @abstractmethod
    def install(self, *, project: bool) -> bool:
        """Put our entries there; whether that changed the file. Raises Problem."""

    @abstractmethod
    def uninstall(self, *, project: bool) -> bool:
        """Take our entries away; whether that changed the file. Raises Problem."""

    @abstractmethod
    def shown(self) -> str:
        """What would be put there."""

    @abstractmethod
    def is_installed(self, *, project: bool) -> bool:
        """Whether all of it is there, as this version puts it. Raises Problem for a file that cannot be read."""


class JsonHooks(Harness):
    """A JSON file with hooks among other settings."""

    @property
    def command(self) -> str:
        """The command line, which never changes: what does lies in the file it names."""
        return shlex.join(["sh", str(hookfiles.shell_file()), self.name])

    def install(self, *, project: bool) -> bool:
        """See Harness."""
        hookfiles.install()
        return self._change(project, lambda held: entries.with_ours(held, self.command))

    def uninstall(self, *, project: bool) -> bool:
        """See Harness."""
        return self._change(project, entries.without_ours)

    def _change(self, project: bool, change: Callable[[entries.Settings], entries.Settings]) -> bool:
        path = self.path(project=project)
        before = files.read_text(path)
        held = files.settings_in(path, before)
        try:
            changed = change(held)
        except Problem as problem:
            raise Problem(f"In {path} {problem}") from None
        if changed == held:
            return False
        files.write_text(path, files.text_of(changed, before), before)
        return True

    def shown(self) -> str:
        """See Harness."""
        return json.dumps(entries.with_ours({}, self.command), indent=2)

    def is_installed(self, *, project: bool) -> bool:
        """See Harness."""
        path = self.path(project=project)
        held = files.settings_in(path, files.read_text(path))
        return hookfiles.shell_file().exists() and entries.with_ours(held, self.command) == held


class Extension(Harness):
    """A file of our own in the folder of a harness that loads what lies there."""

    def install(self, *, project: bool) -> bool:
        """See Harness."""
        path = self.path(project=project)
        before = self._own(path)
        if before == self.shown():
            return False
        files.write_text(path, self.shown(), before)
        return True

    def uninstall(self, *, project: bool) -> bool:
        """See Harness."""
        path = self.path(project=project)
        if self._own(path) is None:
            return False
        files.remove(path)
        return True

    def _own(self, path: Path) -> str | None:
        """What the file holds; raises Problem if that is not ours."""
        held = files.read_text(path)
        if held is not None and "tertulia hooks install" not in held:
            raise Problem(f"{path} is somebody else's; move it away first, nothing is changed.")
        return held

    def shown(self) -> str:
        """See Harness."""
        bridge = {"command": BRIDGE[0], "args": list(BRIDGE[1:])}
        return EXTENSION.read_text().replace("__BRIDGE__", json.dumps(bridge))

    def is_installed(self, *, project: bool) -> bool:
        """See Harness."""
        return files.read_text(self.path(project=project)) == self.shown()


HARNESSES: dict[str, Harness] = {
    each.name: each
    for each in (
        JsonHooks(
            "claude",
            ("CLAUDE_CONFIG_DIR", "~/.claude"),
            "settings.json",
            ".claude/settings.local.json",
            "Claude Code heeds it from its next start.",
        ),
        JsonHooks(
            "codex",
            ("CODEX_HOME", "~/.codex"),
            "hooks.json",
            ".codex/hooks.json",
            "Codex skips a hook in silence until you trust it: start codex, type /hooks, and trust the four of tertulia-hook.",
        ),
        Extension(
            "pi",
            ("PI_CODING_AGENT_DIR", "~/.pi/agent"),
            "extensions/tertulia.js",
            ".pi/extensions/tertulia.js",
            "Pi loads it at its next start, or by /reload.",
        ),
    )
}


def harness_named(name: str) -> Harness:
    """The harness of this name; raises Problem for one that has no hooks of ours."""
    if name not in HARNESSES:
        raise Problem(f"{line(name, 40)!r} is no harness with hooks of ours; give one of {', '.join(HARNESSES)}.")
    return HARNESSES[name]
