"""What a load balancer and an operator ask."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from core.registry import health_checks
from project import health
from tests import asgi


def ask(path: str, method: str = "GET", **headers: str) -> Any:
    async def talk() -> Any:
        async with asgi.hub() as app, asgi.client(app, **headers) as http:
            return await http.request(method, path)

    return asgi.run(talk())


@pytest.fixture
def broken_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("password=hunter2 at db.internal")

    monkeypatch.setitem(health_checks._items, "listeners", fail)


def test_healthz_answers_whatever_the_host_is_called(db: None) -> None:
    answer = ask("/healthz", host="10.0.0.7:8760")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_readyz_names_every_part_that_answers(db: None) -> None:
    answer = ask("/readyz")
    assert answer.status_code == 200
    parts = answer.json()["parts"]
    assert {"database", "channel_layer", "broker"} <= set(parts)
    assert set(parts.values()) == {"ok"}


def test_readyz_says_which_part_fails_and_nothing_of_why(db: None, broken_part: None) -> None:
    answer = ask("/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"]["listeners"] == "fails"
    assert answer.json()["parts"]["database"] == "ok"
    assert "hunter2" not in answer.text
    assert "db.internal" not in answer.text


def test_a_broken_database_is_not_ready_but_alive(db: None) -> None:
    def gone(*args: Any) -> Any:
        raise ConnectionError("no route to 10.0.0.9")

    with connection.execute_wrapper(gone):
        assert ask("/healthz").status_code == 200
        answer = ask("/readyz")
    assert (answer.status_code, answer.json()["parts"]["database"]) == (503, "fails")


@pytest.mark.usefixtures("threaded")
def test_a_part_that_hangs_is_called_slow_and_costs_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE", 0.02)
    asked, let_go = [], threading.Event()

    def hang() -> None:
        asked.append(1)
        let_go.wait(10)

    async def look_often() -> list[str]:
        part = {"database": health.once("hanging", hang)}
        return [(await health.look(part))["database"] for _ in range(3)]

    try:
        assert asgi.run(look_often()) == ["slow", "slow", "slow"]
    finally:
        let_go.set()
    assert len(asked) == 1


def test_a_broker_folder_that_cannot_be_written_fails(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL, settings.BROKER_FOLDER = "", tmp_path / "broker"
    (tmp_path / "broker" / "messages").mkdir(parents=True)
    asyncio.run(health.broker_answers())
    monkeypatch.setattr(health.os, "access", lambda path, mode: not str(path).endswith("messages"))
    with pytest.raises(PermissionError):
        asyncio.run(health.broker_answers())


def test_a_redis_that_is_not_there_fails(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert asyncio.run(health.look({"broker": health.broker_answers})) == {"broker": "fails"}


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_is_asked_with_get_or_head(db: None, path: str) -> None:
    assert ask(path, "POST").status_code == 405
    head = ask(path, "HEAD")
    assert (head.status_code, head.content) == (200, b"")
