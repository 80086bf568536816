"""Counters of tries: begun for those who are let through alone."""

import pytest
from django.test import Client

from tests.push_webhooks.conftest import Service
from triggers.webhooks import door


class Counted(door.Throttle):
    """Tells whom it counted."""

    keys: list[str] = []

    def hit(self, key: str) -> int:
        self.keys.append(key)
        return super().hit(key)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses of webhooks that were counted; a machine may be refused twice."""
    monkeypatch.setattr(Counted, "keys", [])
    monkeypatch.setattr(door, "DELIVERIES", Counted("webhook", limit=2, seconds=60, clock=lambda: 0))
    monkeypatch.setattr(door, "STRANGERS", door.Throttle("webhook-strangers", limit=2, seconds=60, clock=lambda: 0))
    return Counted.keys


def test_who_invents_addresses_begins_no_counter_for_each(counted: list[str], db: None) -> None:
    """A cache holds so many: a flood of them would push out the counters that guard sign-ins."""
    for number in range(20):
        Client().post(f"/in/tw-{number}", b"{}", content_type="application/json")
    assert len(counted) == 2


def test_who_delivers_too_fast_is_no_stranger(counted: list[str], generic: Service) -> None:
    answers = [generic.generic({"content": str(number)}).status_code for number in range(6)]
    assert answers == [202] * 2 + [429] * 4
    assert Client().post("/in/tw-x", b"{}", content_type="application/json").status_code == 404
