"""Celery's broker without a server: kombu's file transport, with messages that appear whole and folders that are private.

kombu opens a message file under its final name and then writes it, so a reader can take it half written (2 of 8,000 at one
every 1.5 ms) and the worker dies; it also reads its table of queues while another process writes it, and parks taken messages
in the machine's temporary folder. docs/decisions/0002 tells more.
"""

import contextlib
import fcntl
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import structlog
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

BACK_SECONDS = 0.2
log = structlog.get_logger(__name__)


def options(folder: Path) -> dict[str, Any]:
    """Celery's `broker_transport_options` for messages kept in `folder`."""
    messages = str(folder / "messages")
    return {
        "data_folder_in": messages,
        "data_folder_out": messages,
        "processed_folder": str(folder / "taken"),
        "control_folder": str(folder / "control"),
        "polling_interval": 0.1,
    }


class Channel(filesystem.Channel):
    """A message is written aside and renamed into place; it is taken by a rename, so one reader gets it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (Path(self.data_folder_in), Path(self.processed_folder), self.control_folder):
            folder.parent.mkdir(mode=0o700, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)

    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:  # type: ignore[override]  # kombu calls it two names
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        aside = Path(self.processed_folder) / f"{name}.new"
        aside.write_text(dumps(message))
        aside.rename(Path(self.data_folder_out) / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for waiting in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            taken = Path(self.processed_folder) / waiting.name
            try:
                waiting.rename(taken)
            except FileNotFoundError:  # another reader was first
                continue
            try:
                return loads(taken.read_text())
            except ValueError:
                log.warning("broker_message_unreadable", queue=queue)
            finally:
                taken.unlink()
        raise Empty

    @contextlib.contextmanager
    def _table(self) -> Iterator[None]:
        with (self.control_folder / "lock").open("a") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def get_table(self, exchange: str) -> Any:
        """The queues bound to an exchange, never while another process writes them."""
        with self._table():
            return super().get_table(exchange)

    def _queue_bind(self, *args: Any) -> None:
        with self._table():
            super()._queue_bind(*args)


class Transport(filesystem.Transport):
    """`broker_transport` of the embedded default."""

    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """As kombu's, but back after a moment: a worker looks for its stop signal only between calls, two seconds apart."""
        super().drain_events(connection, timeout=min(timeout, BACK_SECONDS) if timeout else timeout)
