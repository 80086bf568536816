"""Server-sent events as bytes come in."""

from collections.abc import AsyncIterable, AsyncIterator

from tertulia.launch.lines import lines

MOST_BYTES = 16 * 1024 * 1024
"""Of one line; the hub writes an event's data in one."""


class TooLong(Exception):
    """A line without an end."""


async def events(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """The data of each event that came whole; comments and other fields are passed over. Raises TooLong."""
    data: list[bytes] = []
    async for line in lines(chunks, MOST_BYTES):
        if line is None or sum(map(len, data)) > MOST_BYTES:
            raise TooLong
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []
