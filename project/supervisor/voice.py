"""What the operator reads of the hub's processes: one line each, named, without secrets; JSON where the log is JSON."""

import json
import re
from typing import TextIO

from project.logging import without_secrets

NOISE = re.compile(r"^worker: (Warm|Cold) shutdown|^\s*$")
"""Lines that tell an operator nothing: Celery's farewell, which no log level turns off."""


class Voice:
    """Writes lines of parts to `stream`; a reader that went away stops nothing."""

    def __init__(self, stream: TextIO, *, as_json: bool) -> None:
        self._stream = stream
        self._as_json = as_json

    def say(self, part: str, line: str) -> None:
        """One line of a part."""
        if not NOISE.search(line):
            self.write(self._json(part, line) if self._as_json else f"{part:>5} | {without_secrets(line)}")

    def greet(self, url: str, text: str) -> None:
        """That the hub is ready: for a person the whole text, for a program one event."""
        self.write(json.dumps({"part": "hub", "event": "ready", "url": url}) if self._as_json else text)

    def write(self, text: str) -> None:
        """A line as it is."""
        try:
            self._stream.write(text + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # a closed pipe or terminal
            return

    @staticmethod
    def _json(part: str, line: str) -> str:
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if not isinstance(event, dict):
            event = {"event": without_secrets(line)}
        return json.dumps({"part": part, **event}, ensure_ascii=False)
