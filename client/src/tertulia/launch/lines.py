"""Lines of a stream without an end: bounded, whatever the other side writes."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator

CHUNK = 1 << 16


async def lines(chunks: AsyncIterable[bytes], most_bytes: int) -> AsyncIterator[bytes | None]:
    """Each line without its end; None in the place of one that is too long, of which nothing is kept."""
    held, passing = bytearray(), False
    async for chunk in chunks:
        *ends, rest = chunk.split(b"\n")
        for part in ends:
            held += part
            yield None if passing or len(held) > most_bytes else bytes(held).removesuffix(b"\r")
            held, passing = bytearray(), False
        held += rest
        if len(held) > most_bytes:
            held, passing = bytearray(), True


async def chunks_of(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """What comes in, as it comes."""
    while chunk := await reader.read(CHUNK):
        yield chunk
