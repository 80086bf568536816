"""Private addresses may be called; what waits in memory is forgotten."""

from collections.abc import Iterator
from typing import Any

import pytest

from triggers.inbox import unstored


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    """Servers of tests are on loopback."""
    settings.PRIVATE_ADDRESSES = True


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    """No test begins with what another one heard."""
    unstored.forget()
    yield
    unstored.forget()
