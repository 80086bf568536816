"""Webhooks of alice's, and who posts to them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests import make
from tests.admin.conftest import as_alice, as_charlie, as_staff
from tests.clock import Clock
from triggers.webhooks import actions, signing
from triggers.webhooks.values import Shown

__all__ = ["as_alice", "as_charlie", "as_staff"]
Post = Callable[..., Any]


def path_of(shown: Shown) -> str:
    return "/in/" + shown.address.rpartition("/")[2]


class Service:
    """Somebody who posts to a webhook."""

    def __init__(self, shown: Shown, clock: Clock) -> None:
        self.shown, self.clock, self.client = shown, clock, Client(enforce_csrf_checks=True)

    def generic(self, said: Any, *, secret: str = "", age: int = 0, path: str = "", **headers: str) -> Any:
        """Post a value, signed over time and body."""
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        timestamp = str(int(self.clock().timestamp()) - age)
        signed = signing.signature(secret or self.shown.secret, signing.timed(timestamp, body))
        given = {"X-Tertulia-Timestamp": timestamp, "X-Tertulia-Signature": f"sha256={signed}", **headers}
        return self._post(path, body, given)

    def github(self, said: Any, event: str = "push", *, secret: str = "", kind: str = "application/json", **headers: str) -> Any:
        """Post an event as GitHub does."""
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        signed = signing.signature(secret or self.shown.secret, body)
        given = {"X-Hub-Signature-256": f"sha256={signed}", "X-GitHub-Event": event, **headers}
        return self._post("", body, given, kind)

    def _post(self, path: str, body: bytes, headers: dict[str, str], kind: str = "application/json") -> Any:
        return self.client.post(path or path_of(self.shown), body, content_type=kind, headers=headers)


@pytest.fixture
def generic(alice: make.Person, clock: Clock) -> Service:
    return Service(actions.make_webhook(alice.actor, name="ci", kind="generic"), clock)


@pytest.fixture
def github(alice: make.Person, clock: Clock) -> Service:
    return Service(actions.make_webhook(alice.actor, name="hub", kind="github"), clock)
