"""A push server for benchmarks: one process that is as many servers as it is asked for, one an address.

It pushes the moment it is told to: `POST /push/N` sends one message on the streams of server N, at the time it names.
"""

import asyncio
import json
import sys
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
streams: dict[str, set[asyncio.StreamWriter]] = {}


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One request."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        length = next((int(line.split(":")[1]) for line in head if line.lower().startswith("content-length:")), 0)
        said = json.loads(await reader.readexactly(length)) if length else {}
        if method == "GET":
            await stream(path, reader, writer)
        elif path.startswith("/push/"):
            push(path.removeprefix("/push"), said)
            answer(writer, {})
        else:
            answer(writer, result(said))
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def stream(path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An open stream until the other side leaves."""
    writer.write(HEAD)
    streams.setdefault(path, set()).add(writer)
    try:
        await reader.read()
    finally:
        streams[path].discard(writer)


def push(path: str, said: dict[str, Any]) -> None:
    """Send a message on every stream of a server."""
    params = {"channel": "bench", "content": json.dumps(said)}
    event = f"data: {json.dumps({'jsonrpc': '2.0', 'method': 'channel/message', 'params': params})}\n\n".encode()
    for line in streams.get(path, ()):
        line.write(event * int(said.get("times", 1)))


def result(said: dict[str, Any]) -> dict[str, Any] | None:
    """What is answered to a message; None to a notification."""
    if said.get("id") is None:
        return None
    greeting = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "bench", "version": "1"}}
    return {"jsonrpc": "2.0", "id": said["id"], "result": greeting if said["method"] == "initialize" else {}}


def answer(writer: asyncio.StreamWriter, said: dict[str, Any] | None) -> None:
    """Send a whole answer."""
    body = b"" if said is None else json.dumps(said).encode()
    status = "202 Accepted" if said is None else "200 OK"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write(f"HTTP/1.1 {status}\r\n{kind}".encode() + body)


async def main(port: int) -> None:
    """Until killed."""
    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
