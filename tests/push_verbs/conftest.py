"""An owner at a terminal of his own before a stub of the hub, and what that hub answers of a push inbox."""

from typing import Any

import httpx
import pytest

from tests.client.conftest import cli, home, hub, owner, time
from tests.client.stub import Stub, answer
from tests.owner_verbs.conftest import person

__all__ = ["cli", "home", "hub", "inbox", "owner", "person", "time"]

INBOX, FIRINGS = "/api/channel/", "/api/channel/firings/"
LATER, OVER = "2999-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"


def pushed(seq: int, preview: str = "build ok", **more: Any) -> dict[str, Any]:
    """A push message as the hub lists it."""
    return {
        "seq": seq,
        "time": "2026-11-30T08:00:00.000Z",
        "server": "ci",
        "channel": "ci-pipeline",
        "preview": preview,
        "size": 108,
        "unread": True,
        "cleared": False,
        "handled": False,
        **more,
    }


def asks(number: int, expires_at: str = LATER, **more: Any) -> dict[str, Any]:
    """A firing that waits for its owner."""
    return {
        "number": number,
        "rule": "fix",
        "mode": "confirm",
        "server": "ci",
        "channel": "builds",
        "state": "asked",
        "expires_at": expires_at,
        "preview": "build 12 failed",
        **more,
    }


def seen(*messages: dict[str, Any], banner: Any = None, **more: Any) -> httpx.Response:
    """The inbox at a glance."""
    body = {"banner": banner, "messages": list(messages), "total": len(messages), "unread": len(messages), "paused": False}
    return answer(200, {**body, **more})


def results(*rows: dict[str, Any]) -> httpx.Response:
    """A list."""
    return answer(200, {"results": list(rows)})


@pytest.fixture
def inbox(hub: Stub) -> Stub:
    """A hub with two messages."""
    return hub.says(INBOX, seen(pushed(1), pushed(2, "build 2 failed")))
