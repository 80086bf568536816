"""Questions to the person at this process's own terminal: never standard input, which another program may hold."""

import io
import os

from tertulia.inert import block
from tertulia.problems import Refused

TERMINAL = "/dev/tty"
LONGEST = 1024


def ask(prompt: str) -> str:
    """What is typed, without the end of its line; raises Refused where there is no terminal, or nothing more comes from it."""
    handle = _terminal()
    with io.TextIOWrapper(io.FileIO(handle, "w+"), errors="replace") as terminal:
        terminal.write(block(prompt))
        terminal.flush()
        typed = terminal.readline(LONGEST)
    if not typed.endswith("\n"):
        raise Refused("Nothing was answered at the terminal; nothing is done.")
    return typed.rstrip("\r\n")


def ask_secret(prompt: str) -> str:
    """The same without an echo."""
    import getpass
    import warnings

    os.close(_terminal())
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)  # it would go on with an echo
        try:
            return getpass.getpass(block(prompt))
        except (getpass.GetPassWarning, EOFError):
            raise Refused("The password cannot be typed unseen at this terminal; use --browser.") from None


def _terminal() -> int:
    try:
        return os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        raise Refused("This is asked at a terminal of your own, and there is none; run it in one.") from None
