"""Signed-in browsers without a browser; nothing is looked up."""

import pytest

from tests.admin.conftest import as_alice, as_charlie, as_staff

__all__ = ["as_alice", "as_charlie", "as_staff"]


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were asked about."""
    found: list[str] = []
    monkeypatch.setattr("triggers.servers.actions.check_outbound", found.append)
    return found
