"""Fixtures of the OAuth tests: nothing remembered, no way out to the network."""

from collections.abc import Iterator

import pytest
from django.test import Client
from oauth2_provider.cimd import CIMDError

from accounts import bearer
from accounts.oauth import clients
from tests.oauth import driver


@pytest.fixture(autouse=True)
def fresh_memory() -> Iterator[None]:
    """No token of another test."""
    bearer.cache.clear()
    yield
    bearer.cache.clear()


@pytest.fixture(autouse=True)
def no_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document is fetched only from where a test puts one."""

    def refuse(client_id: str) -> tuple[dict[str, object], int]:
        raise CIMDError("there is no network here")

    monkeypatch.setattr(clients, "fetch_document", refuse)


@pytest.fixture
def browser() -> Client:
    return driver.browser()
