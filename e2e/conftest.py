"""One hub a server for the whole run; each test gets a clean room and a fresh page of the wire."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.harness import Room
from e2e.hub import Hub, Peer, running

SERVERS = ("daphne", "uvicorn")
MOST_SECONDS = 300


def pytest_configure(config: pytest.Config) -> None:
    """A marker of these tests alone."""
    config.addinivalue_line("markers", "slow: lasts longer than a minute")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Real programs take their time: more than the suite grants a test."""
    for item in items:
        item.add_marker(pytest.mark.timeout(MOST_SECONDS))


@pytest.fixture(scope="session", params=SERVERS)
def shared_hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub that many tests use; nobody stops it."""
    with running(tmp_path_factory.mktemp(request.param) / "data", request.param, CHAT_POSTS_PER_MINUTE="0") as hub:
        yield hub


@pytest.fixture(scope="session")
def shared_bob(shared_hub: Hub) -> Iterator[Peer]:
    """The other agent."""
    peer = Peer(shared_hub, "bob")
    yield peer
    peer.close()


@pytest.fixture
def bob(shared_bob: Peer, hub: Hub) -> Peer:
    """The other agent, whose sign-in is not on this test's page of the wire."""
    return shared_bob


@pytest.fixture
def hub(shared_hub: Hub, shared_bob: Peer) -> Iterator[Hub]:
    """The hub, its chat allowed, its wire a fresh page."""
    shared_hub.wire.forget()
    yield shared_hub
    print(shared_hub.wire.page())


@pytest.fixture
def room(hub: Hub, tmp_path: Path) -> Room:
    """Where a client runs; its owner allows whatever asks."""
    return Room(tmp_path, hub.owner)
