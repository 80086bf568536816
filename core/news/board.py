"""Who waits for what within one process."""

import asyncio
import threading
from collections.abc import Callable, Iterable
from types import TracebackType

import structlog

log = structlog.get_logger(__name__)
NOTHING: frozenset[str] = frozenset()


class Watch:
    """One waiter's registration for a few keys; use as a context manager inside a running event loop.

    Order that loses nothing: enter, read the database, `wait`, read again. A hint between entering and waiting is kept.
    """

    __slots__ = ("_board", "_future", "_keys", "_rung", "loop")

    def __init__(self, board: "Board", keys: tuple[str, ...]) -> None:
        self._board = board
        self._keys = keys
        self._future: asyncio.Future[None] | None = None
        self._rung: frozenset[str] = NOTHING
        self.loop = asyncio.get_running_loop()

    def __enter__(self) -> "Watch":
        self._board._add(self, self._keys)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._board._remove(self, self._keys)

    def ring(self, keys: frozenset[str]) -> None:
        """Note hints; called on the waiter's own loop."""
        self._rung |= keys
        if self._future is not None and not self._future.done():
            self._future.set_result(None)

    async def wait(self, seconds: float) -> frozenset[str]:
        """Hold until a hint or `seconds`; answers the keys that rang (none: time is up), and forgets them."""
        if not self._rung and seconds > 0:
            self._future = self.loop.create_future()
            handle = self.loop.call_later(seconds, _let_go, self._future)
            try:
                await self._future
            finally:
                handle.cancel()
                self._future = None
        rung, self._rung = self._rung, NOTHING
        return rung


def _let_go(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


class Board:
    """All watches of this process by key, and the callbacks that hear every hint; safe to ring from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watches: dict[str, dict[Watch, None]] = {}
        self._listeners: dict[str, list[Callable[[str], None]]] = {}

    def watch(self, *keys: str) -> Watch:
        """A registration for `keys`, not yet entered."""
        return Watch(self, keys)

    def on(self, kind: str, listener: Callable[[str], None]) -> None:
        """Call `listener(key)` for each hint whose key begins with `kind:`; it must be quick and may run in any thread."""
        self._listeners.setdefault(kind, []).append(listener)

    def off(self, kind: str, listener: Callable[[str], None]) -> None:
        """Take a listener back."""
        self._listeners[kind].remove(listener)

    def awaited(self, kind: str) -> list[str]:
        """The ids (what follows `kind:`) that somebody here waits for."""
        prefix = f"{kind}:"
        with self._lock:
            return [key[len(prefix) :] for key in self._watches if key.startswith(prefix)]

    def ring(self, keys: Iterable[str]) -> None:
        """Wake the watches of `keys` and tell the listeners."""
        by_loop: dict[asyncio.AbstractEventLoop, list[tuple[frozenset[str], list[Watch]]]] = {}
        for key in keys:
            for listener in self._listeners.get(key.partition(":")[0], ()):
                try:
                    listener(key)
                except Exception:
                    log.exception("news_listener_failed", key=key)
            for loop, watches in self._watching(key).items():
                by_loop.setdefault(loop, []).append((frozenset((key,)), watches))
        for loop, rings in by_loop.items():
            try:
                loop.call_soon_threadsafe(_ring_all, rings)
            except RuntimeError:  # the loop is closed: its waiters are gone
                continue

    def _watching(self, key: str) -> dict[asyncio.AbstractEventLoop, list[Watch]]:
        found: dict[asyncio.AbstractEventLoop, list[Watch]] = {}
        with self._lock:
            for watch in self._watches.get(key, ()):
                found.setdefault(watch.loop, []).append(watch)
        return found

    def _add(self, watch: Watch, keys: tuple[str, ...]) -> None:
        with self._lock:
            for key in keys:
                self._watches.setdefault(key, {})[watch] = None

    def _remove(self, watch: Watch, keys: tuple[str, ...]) -> None:
        with self._lock:
            for key in keys:
                watches = self._watches.get(key)
                if watches is not None:
                    watches.pop(watch, None)
                    if not watches:
                        del self._watches[key]


def _ring_all(rings: list[tuple[frozenset[str], list[Watch]]]) -> None:
    for keys, watches in rings:
        for watch in watches:
            watch.ring(keys)


board = Board()
"""The board of this process."""
