"""A messenger to announce to."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.announcing import messenger
from tests.announcing.messenger import Messenger


@pytest.fixture
def phone(settings: Any) -> Iterator[Messenger]:
    """A messenger on loopback, which the hub may call."""
    settings.PRIVATE_ADDRESSES = True
    with messenger.running() as listening:
        yield listening
