"""Task messages in a folder: whole, taken once, private."""

import os
import signal
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection, Exchange, Queue

from project import broker

SHORT = Queue("short", Exchange("short"), routing_key="short")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path / "broker"


@pytest.fixture
def connection(folder: Path) -> Iterator[Connection]:
    broker.Transport.global_state.clear()  # what kombu remembers of another test's folder
    with connect(folder) as made:
        SHORT(made.default_channel).declare()
        yield made


def connect(folder: Path) -> Connection:
    options = {**broker.options(folder), "polling_interval": 0.001}
    return Connection("filesystem://localhost", transport="project.broker:Transport", transport_options=options)


def send(connection: Connection, *bodies: Any) -> None:
    producer = connection.Producer()
    for body in bodies:
        producer.publish(body, exchange=SHORT.exchange, routing_key="short", serializer="json")


def receive(connection: Connection) -> list[Any]:
    """Everything that waits."""
    got: list[Any] = []

    def take(body: Any, message: Any) -> None:
        got.append(body)
        message.ack()

    with connection.Consumer([SHORT], callbacks=[take], accept=["json"]):
        try:
            while True:
                connection.drain_events(timeout=0.01)
        except TimeoutError:
            return got


def test_messages_come_in_the_order_they_were_sent_and_leave_nothing_behind(connection: Connection, folder: Path) -> None:
    send(connection, *({"n": n} for n in range(20)))
    assert [body["n"] for body in receive(connection)] == list(range(20))
    assert list(folder.rglob("*.msg*")) == []


def test_two_readers_share_the_messages_and_none_is_taken_twice(connection: Connection, folder: Path) -> None:
    send(connection, *range(20))
    with connect(folder) as other:
        one = [connection.default_channel._get("short") for _ in range(10)]
        two = [other.default_channel._get("short") for _ in range(10)]
    assert len({message["properties"]["delivery_tag"] for message in one + two}) == 20


def test_a_message_that_is_no_json_is_dropped_and_the_next_one_comes(connection: Connection, folder: Path) -> None:
    (folder / "messages" / f"{0:020d}_torn.short.msg").write_text("")
    send(connection, "whole")
    assert receive(connection) == ["whole"]
    assert list(folder.rglob("*.msg*")) == []


def test_a_message_under_way_is_not_seen(connection: Connection, folder: Path) -> None:
    (folder / "taken" / f"{0:020d}_aside.short.msg.new").write_text("{")
    assert receive(connection) == []


def test_a_reader_sees_only_its_own_queue(connection: Connection, folder: Path) -> None:
    (folder / "messages" / f"{0:020d}_other.runs.msg").write_text("{}")
    assert receive(connection) == []
    assert (folder / "messages" / f"{0:020d}_other.runs.msg").exists()


def test_every_folder_is_private_and_made_at_first_use(connection: Connection, folder: Path) -> None:
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())} == {0o700}


def test_a_worker_that_waits_looks_up_soon(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "BACK_SECONDS", 0.001)
    with connection.Consumer([SHORT], accept=["json"]), pytest.raises(socket.timeout):
        connection.drain_events(timeout=3600)


def test_celery_takes_json_alone_keeps_no_result_and_makes_no_queue() -> None:
    from project.celery import app

    assert app.conf.accept_content == ["json"]
    assert app.conf.task_ignore_result
    assert set(app.amqp.queues) == {"short", "runs"}
    assert not app.conf.task_create_missing_queues
    assert not app.conf.worker_enable_remote_control


def test_beat_leaves_at_once_and_saves_nothing_within_its_signal_handler() -> None:
    from project.celery import app

    class Service:
        def sync(self) -> None:
            raise AssertionError("saved in the middle of another database call")

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        app.Beat(quiet=True).install_sync_handler(Service())
        with pytest.raises(SystemExit):
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
