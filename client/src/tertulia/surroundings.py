"""What lies outside the program: clock, chance, terminal, browser, network. A test puts its own in the place of each."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx


def _chance() -> float:
    import random

    return random.random()  # noqa: S311 - spreads retries, hides nothing


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


TEXT_BROWSERS = ("www-browser", "links", "elinks", "lynx", "w3m")


def _has_browser() -> bool:
    """Whether a browser of this very machine can show a page: not over SSH, nor without a display."""
    import webbrowser

    if os.environ.get("BROWSER"):
        return True
    if os.environ.get("SSH_CONNECTION"):
        return False
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        return getattr(webbrowser.get(), "name", "") not in TEXT_BROWSERS
    except webbrowser.Error:
        return False


def _open_browser(address: str) -> None:
    """Some ways to open a browser return only when it is closed, so it is done beside."""
    import threading

    threading.Thread(target=_try_to_open, args=(address,), daemon=True).start()


def _try_to_open(address: str) -> None:
    import contextlib
    import webbrowser

    with contextlib.suppress(Exception):  # the address stands on the terminal too
        webbrowser.open(address)


def _ask(prompt: str) -> str:
    from tertulia import asking

    return asking.ask(prompt)


def _ask_secret(prompt: str) -> str:
    from tertulia import asking

    return asking.ask_secret(prompt)


def _no_transport() -> Any:
    return None


@dataclass
class Surroundings:
    """Each as a function. `interactive`: a person sits before it. `ask`, `ask_secret`: of the person at the terminal.

    `transport`: of httpx, None for its own.
    """

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = _chance
    interactive: Callable[[], bool] = _is_interactive
    has_browser: Callable[[], bool] = _has_browser
    open_browser: Callable[[str], None] = _open_browser
    ask: Callable[[str], str] = _ask
    ask_secret: Callable[[str], str] = _ask_secret
    transport: "Callable[[], httpx.BaseTransport | None]" = _no_transport


world = Surroundings()
"""The one in use."""


def use(other: Surroundings) -> None:
    """Put others in the place of all of them."""
    vars(world).update(vars(other))
