"""A sign-in service on loopback, and owners at their browsers."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.admin.conftest import as_alice, as_charlie
from tests.clock import Clock
from tests.push_calling.services import SignedService, signed_service

__all__ = ["as_alice", "as_charlie"]


@pytest.fixture(autouse=True)
def loopback(settings: Any, clock: Clock) -> None:
    """Private addresses may be called; time stands still."""
    settings.PRIVATE_ADDRESSES = True


@pytest.fixture
def service() -> Iterator[SignedService]:
    """A push server whose owners sign in."""
    with signed_service() as held:
        yield held
