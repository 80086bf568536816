"""A scripted OpenAI-compatible provider on loopback: what it answers is a list, what it was asked is kept."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests import loopback

Body = dict[str, Any]


@dataclass(frozen=True)
class Says:
    """The model says a text."""

    text: str


@dataclass(frozen=True)
class Calls:
    """The model calls tools: name and arguments (a text is sent as it is)."""

    calls: tuple[tuple[str, Body | str], ...]


@dataclass(frozen=True)
class Fails:
    """The provider answers with a status and a body."""

    status: int
    body: str = '{"error": {"message": "secret internals of the provider"}}'
    headers: tuple[tuple[str, str], ...] = ()


Step = Says | Calls | Fails


def call(name: str, **arguments: Any) -> Calls:
    """One call of one tool."""
    return Calls(((name, arguments),))


@dataclass
class Provider:
    """The provider; past the end of its plan it repeats the last step."""

    plan: list[Step]
    asked: list[Body] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    port: int = 0
    before: Callable[[], object] | None = None

    @property
    def url(self) -> str:
        """The base address an owner gives."""
        return f"http://127.0.0.1:{self.port}/v1"

    def tools(self) -> list[str]:
        """The names of the tools it was offered last."""
        return [each["function"]["name"] for each in self.asked[-1].get("tools", [])]

    def results(self) -> list[str]:
        """The results of tools in the last request."""
        return [each["content"] for each in self.asked[-1]["messages"] if each["role"] == "tool"]


@contextmanager
def serving(*plan: Step) -> Iterator[Provider]:
    """A provider that answers while the context lasts."""
    provider = Provider(list(plan))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            number = len(provider.asked)
            provider.asked.append(body)
            provider.keys.append(self.headers.get("authorization", ""))
            if provider.before is not None:
                provider.before()
            step = provider.plan[min(number, len(provider.plan) - 1)]
            status, text, headers = _answer(step, body, number)
            self.send_response(status)
            for name, value in (("content-type", "application/json"), *headers):
                self.send_header(name, value)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.port = server.server_address[1]
    with loopback.serving(server):
        yield provider


def _answer(step: Step, body: Body, number: int) -> tuple[int, bytes, tuple[tuple[str, str], ...]]:
    if isinstance(step, Fails):
        return step.status, step.body.encode(), step.headers
    message: Body = {"role": "assistant", "content": None}
    if isinstance(step, Says):
        message["content"] = step.text
    else:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{index}",
                "type": "function",
                "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
            }
            for index, (name, given) in enumerate(step.calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "stop" if isinstance(step, Says) else "tool_calls"}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    head = {"id": f"c{number}", "object": "chat.completion", "created": 1, "model": body["model"]}
    return 200, json.dumps({**head, "choices": [choice], "usage": usage}).encode(), ()
