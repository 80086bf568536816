"""The client in a place of its own: a folder, a clock that only sleeping moves, a stub for the hub, nobody at the terminal."""

import io
import os
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from tertulia import surroundings
from tertulia.program import run
from tertulia.surroundings import Surroundings, world

from tests.client.stub import HUB, Stub


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the client keeps its files."""
    for name in os.environ:
        if name.startswith("TERTULIA_") or name in {"XDG_CONFIG_HOME", "NO_COLOR"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERTULIA_CLIENT_HOME", str(tmp_path / "client"))
    return tmp_path / "client"


@dataclass
class Time:
    """A clock in the test's hand; `naps`: how long was slept each time."""

    now: float = 1000.0
    naps: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def hub(home: Path, time: Time) -> Iterator[Stub]:
    """The stub, and surroundings in which nothing waits; `world` may be changed further."""
    stub, before = Stub(), replace(world)
    surroundings.use(
        Surroundings(
            monotonic=lambda: time.now,
            sleep=time.sleep,
            chance=lambda: 0.5,
            interactive=lambda: False,
            has_browser=lambda: False,
            open_browser=lambda address: pytest.fail("a browser was opened"),
            transport=lambda: httpx.MockTransport(stub.handle),
        )
    )
    yield stub
    surroundings.use(before)


@dataclass(frozen=True)
class Said:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


Cli = Callable[..., Said]


@pytest.fixture
def cli(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Type a command: `cli("chat", "wait")`."""

    def typed(*arguments: str, stdin: bytes = b"") -> Said:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = run(list(arguments))
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return typed


@dataclass
class Owner:
    """Whoever sits before the browser. `changed`: what the browser brings otherwise; `pages`: what it showed."""

    changed: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    pages: list[tuple[int, str]] = field(default_factory=list)
    before: Callable[[str], None] | None = None
    hub: str = HUB

    def open(self, address: str) -> None:
        self.asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        if self.before is not None:
            self.before(self.asked["redirect_uri"])
        given = {"code": "code-1", "state": self.asked["state"], "iss": self.hub, **self.changed}
        brought = urlencode({name: value for name, value in given.items() if value is not None})
        threading.Thread(target=self.visit, args=(f"{self.asked['redirect_uri']}?{brought}",), daemon=True).start()

    def visit(self, address: str) -> None:
        try:
            with urllib.request.urlopen(address, timeout=10) as page:
                self.pages.append((page.status, page.read().decode()))
        except urllib.error.HTTPError as error:
            with error:
                self.pages.append((error.code, error.read().decode()))


@pytest.fixture
def owner(hub: Stub) -> Owner:
    """An owner who allows what the browser asks."""
    person = Owner()
    world.has_browser = lambda: True
    world.open_browser = person.open
    return person
