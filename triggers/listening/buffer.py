"""What was pushed and is not stored yet: bounded in messages and bytes; what is beyond is let go and counted."""

import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from triggers.values import Arrival

ROOM_BYTES = 64 * 1_048_576
"""All servers of one listener together."""
OVERHEAD_BYTES = 200
"""Of a message beside its texts."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A message with the id of its event (empty where it has none)."""

    arrival: Arrival
    event_id: str = ""

    @property
    def size(self) -> int:
        """About what it holds in memory: one wide character makes all of a text four times as large."""
        texts = (self.arrival.content, self.arrival.channel, self.arrival.method, self.event_id)
        return OVERHEAD_BYTES + sum(map(sys.getsizeof, texts))


@dataclass(slots=True)
class Room:
    """Memory that the buffers of all servers share."""

    left: int = ROOM_BYTES


class Buffer:
    """Of one server, in the order it came. `per_second` 0: no limit on how fast."""

    def __init__(self, *, most: int, per_second: int, room: Room, clock: Callable[[], float] = time.monotonic) -> None:
        self.shed = 0
        self.shed_ever = 0
        self._most, self._per_second, self._room, self._clock = most, per_second, room, clock
        self._entries: deque[Entry] = deque()
        self._allowance, self._at = float(per_second), clock()

    def __len__(self) -> int:
        return len(self._entries)

    def admits(self) -> bool:
        """Whether one more may come now; if not, it is counted as shed."""
        if not self._per_second:
            return True
        now = self._clock()
        self._allowance = min(self._allowance + (now - self._at) * self._per_second, float(self._per_second))
        self._at = now
        if self._allowance < 1:
            self.let_go()
            return False
        self._allowance -= 1
        return True

    def add(self, entry: Entry) -> bool:
        """Keep it until it is stored; False where there is no room: it is counted as shed."""
        if len(self._entries) >= self._most or entry.size > self._room.left:
            self.let_go()
            return False
        self._room.left -= entry.size
        self._entries.append(entry)
        return True

    def let_go(self) -> None:
        """Count one message that is not kept."""
        self.shed += 1
        self.shed_ever += 1

    def first(self, count: int) -> list[Entry]:
        """The oldest ones; they stay until `stored`."""
        return [self._entries[index] for index in range(min(count, len(self._entries)))]

    def stored(self, count: int, shed: int) -> None:
        """The oldest `count` are in the database, and so is it that `shed` were let go."""
        for _ in range(count):
            self._room.left += self._entries.popleft().size
        self.shed -= shed

    def empty(self) -> None:
        """Forget all of it."""
        self.stored(len(self._entries), 0)
