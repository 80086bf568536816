"""Asks a launcher's socket as whoever runs it, by what lies before it: `python asker.py HOW`, the answer on standard output."""

import json
import os
import socket
import sys
import time
from pathlib import Path

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def connected() -> socket.socket:
    """To the socket of the launch in the environment."""
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(10)
    link.connect(f"{os.environ['TERTULIA_LAUNCH_DIR']}/socket")
    return link


def hook() -> str:
    """What a hook is told."""
    link = connected()
    link.sendall(b"hook claude UserPromptSubmit\n{}")
    link.shutdown(socket.SHUT_WR)
    return link.makefile().read()


def tools() -> str:
    """The tools an MCP connection lists."""
    link = connected()
    link.sendall(b"mcp\n" + b"".join(json.dumps(each).encode() + b"\n" for each in (INITIALIZE, LIST)))
    answers = link.makefile()
    return str([json.loads(answers.readline())["id"], json.loads(answers.readline())["result"]["tools"]])


def detached() -> str:
    """The same once its parent has ended and another has taken it in."""
    parent = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == parent:
        time.sleep(0.01)
    return tools()


def left() -> str:
    """What a connection is told that began within the agent's tree, once its process is out of it: a call with an id that is
    none wants no answer, the next does."""
    ready, begun = os.pipe()
    if os.fork():
        os.read(ready, 1)
        os._exit(0)
    link, parent = connected(), os.getppid()
    link.sendall(b"mcp\n" + json.dumps(INITIALIZE).encode() + b"\n")
    answers = link.makefile()
    answers.readline()
    os.write(begun, b".")
    while os.getppid() == parent:
        time.sleep(0.01)
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "chat_post"}}
    link.sendall(b"".join(json.dumps({**call, "id": number}).encode() + b"\n" for number in (1.5, 2)))
    return answers.readline()


if __name__ == "__main__":
    said = {"hook": hook, "tools": tools, "detached": detached, "left": left}[sys.argv[1]]().rstrip() + "\n"
    if sys.argv[2:]:
        result = Path(sys.argv[2])
        result.with_suffix(".new").write_text(said)
        result.with_suffix(".new").rename(result)
    else:
        os.write(1, said.encode() if said.strip() else b"")
