"""Private addresses may be called; a session of its own loop for each test."""

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    """Servers of tests are on loopback."""
    settings.PRIVATE_ADDRESSES = True
