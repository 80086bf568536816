"""Server-sent events, read from bytes as they come; memory stays bounded whatever a server sends. Pure."""

from dataclasses import dataclass

MOST_BYTES = 1_048_576
"""One event may have; a longer one is let go whole."""
LONGEST_ID = 500
LONGEST_RETRY_MS = 3_600_000
BEATS = frozenset({"ping", "heartbeat", "keepalive", "keep-alive", "keep_alive"})
"""Names under which servers send events of no meaning, so that a quiet stream is not cut."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `id` is the last one given so far (empty: none yet); `too_large` stands for one whose data was let go."""

    data: str
    name: str = "message"
    id: str = ""
    too_large: bool = False

    @property
    def says_something(self) -> bool:
        """Whether it is for more than to keep the stream open; what calls a method is, under whatever name."""
        return bool(self.data) and (self.name.lower() not in BEATS or '"method"' in self.data)


class EventParser:
    """Reads one stream by the rules of the HTML standard: any line ending, comments, `data:` with and without a space.

    `last_id` and `retry_ms` are what the stream said of them last; an event without data moves them too.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.last_id = ""
        self.retry_ms: int | None = None
        self._most = most
        self._line = bytearray()
        self._after_return = False
        self._begun = False
        self._restart()

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that end within this piece of the stream."""
        if not chunk:
            return []
        ended_in_return, self._after_return = self._after_return, chunk.endswith(b"\r")
        if ended_in_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        *lines, rest = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        found: list[Event] = []
        for line in lines:
            self._hold(line)
            event = self._end_of_line()
            if event is not None:
                found.append(event)
        self._hold(rest)
        return found

    def _hold(self, piece: bytes) -> None:
        """Add to the line under way, unless that makes its event too large: then only that there is a line is kept."""
        if self._size + len(self._line) + len(piece) > self._most:
            self._too_large = True
        if self._too_large:
            self._data.clear()
            piece = piece[:1] if not self._line else b""
            del self._line[1:]
        self._line += piece

    def _end_of_line(self) -> Event | None:
        line = bytes(self._line)
        self._line.clear()
        if not self._begun:
            self._begun = True
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            return self._dispatch()
        if not self._too_large and not line.startswith(b":"):
            self._field(*_parted(line))
        return None

    def _field(self, name: str, value: str) -> None:
        if name == "data":
            self._data.append(value)
            self._size += len(value) + 1
        elif name == "event":
            self._name = value
        elif name == "id":
            if "\0" not in value and len(value) <= LONGEST_ID:
                self.last_id = value
        elif name == "retry" and value.isascii() and value.isdecimal():
            self.retry_ms = min(int(value[:9]), LONGEST_RETRY_MS)

    def _dispatch(self) -> Event | None:
        too_large, data, name = self._too_large, "\n".join(self._data), self._name
        is_event = too_large or bool(self._data)
        self._restart()
        return Event(data, name or "message", self.last_id, too_large) if is_event else None

    def _restart(self) -> None:
        self._data: list[str] = []
        self._size = 0
        self._name = ""
        self._too_large = False


def _parted(line: bytes) -> tuple[str, str]:
    name, _, value = line.partition(b":")
    return name.decode("utf-8", "replace"), value.removeprefix(b" ").decode("utf-8", "replace")
