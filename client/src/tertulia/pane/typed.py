"""What the owner types into the pane's line. Pure."""

import re
from dataclasses import dataclass

from tertulia.inert import line

REPLY = re.compile(r"/reply\s+#?([0-9]{1,18})\s+(\S.*)", re.DOTALL)
THREAD = re.compile(r"/thread\s+#?([0-9]{1,18})")
NEW = re.compile(r"/new\s+(\S+)")
HELP = "Type a message, /reply ID TEXT, /thread ID or /new TOPIC; // begins a message with a slash."


@dataclass(frozen=True, slots=True)
class Say:
    """A message to the shown topic; with `reply_to`, to the thread of that one."""

    text: str
    reply_to: int | None = None


@dataclass(frozen=True, slots=True)
class Thread:
    """Show one thread alone."""

    seq: int


@dataclass(frozen=True, slots=True)
class New:
    """Create a topic."""

    topic: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """Nothing that can be done; `sentence` says what can."""

    sentence: str


def understood(typed: str) -> Say | Thread | New | Unclear | None:
    """What is meant; None for nothing at all."""
    text = typed.strip()
    if not text:
        return None
    if text.startswith("//"):
        return Say(text[1:])
    if not text.startswith("/"):
        return Say(text)
    if reply := REPLY.fullmatch(text):
        return Say(reply[2], int(reply[1]))
    if thread := THREAD.fullmatch(text):
        return Thread(int(thread[1]))
    if new := NEW.fullmatch(text):
        return New(new[1])
    return Unclear(f"{line(text.split()[0], 20)} is not understood so. {HELP}")
