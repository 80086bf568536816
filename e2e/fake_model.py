"""A scripted model on loopback, so that real agent harnesses run without any account.

It speaks Anthropic Messages (`/v1/messages`), OpenAI Responses (`/v1/responses`) and OpenAI Chat (`/v1/chat/completions`),
streaming or not. Each request that offers tools takes the next step of the plan; past its end the model says "END". What was
put before the model is kept in `asked`.
"""

import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.running.hub import free_port

Body = dict[str, Any]
Named = tuple[str | None, Body]


@dataclass(frozen=True)
class Step:
    """What the model does next: calls `tool` (Codex wants the server's name apart, in `namespace`), or says `text`.

    `arguments` may be a function of what the model was shown last: so a step uses the numbers the hub gave.
    """

    tool: str = ""
    arguments: Body | Callable[[str], Body] = field(default_factory=dict)
    namespace: str = ""
    text: str = "END"


class Model:
    """The model and its plan."""

    def __init__(self, plan: list[Step]) -> None:
        self.plan = plan
        self.asked: list[Body] = []
        self.tools: list[list[str]] = []
        self.port = free_port()
        self._taken = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def results(self) -> list[str]:
        """The tool results that stood before the model in its last request, oldest first."""
        return _results(self.asked[-1]) if self.asked else []

    def next_step(self, tools: list[str], body: Body) -> Step:
        """Take a step; a request without tools (a title, a count) takes none."""
        if not tools:
            return Step(text="a title")
        self.asked.append(body)
        self.tools.append(tools)
        step = self.plan[self._taken] if self._taken < len(self.plan) else Step()
        self._taken += 1
        if callable(step.arguments):
            shown = _results(body)
            step = Step(step.tool, step.arguments(shown[-1] if shown else ""), step.namespace, step.text)
        return step


class Obedient(Model):
    """A model of the OpenAI Chat dialect that calls what it is told (`use TOOL {arguments}`), and says what that answered."""

    def next_step(self, tools: list[str], body: Body) -> Step:
        """By the last message alone."""
        self.asked.append(body)
        last = body["messages"][-1]
        words = _text(last.get("content")).split(" ", 2)
        if last["role"] == "tool":
            return Step(text=" ".join(words))
        return Step(words[1], json.loads(words[2])) if len(words) == 3 and words[0] == "use" else Step()


@contextmanager
def serving(plan: list[Step], kind: type[Model] = Model) -> Iterator[Model]:
    """A model that answers while the context lasts."""
    model = kind(plan)
    server = uvicorn.Server(uvicorn.Config(application(model), port=model.port, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.02)
    try:
        yield model
    finally:
        server.should_exit = server.force_exit = True
        thread.join(10)


def _results(body: Body) -> list[str]:
    found = []
    for entry in body.get("messages") or body.get("input") or []:
        if entry.get("type") == "function_call_output":
            found.append(_text(entry.get("output")))
        content = entry.get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_result":
                found.append(_text(block.get("content")))
    return found


def shown(result: str) -> Body:
    """The JSON within what a harness put before the model."""
    found: Body = json.loads(result[result.index("{") : result.rindex("}") + 1])
    return found


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text", block)) for block in content)
    return content if isinstance(content, str) else json.dumps(content)


def application(model: Model) -> Starlette:
    """The three dialects over one plan."""

    async def messages(request: Request) -> Response:
        body = await request.json()
        step = model.next_step([tool["name"] for tool in body.get("tools", [])], body)
        return _anthropic(step, body)

    async def responses(request: Request) -> Response:
        body = await request.json()
        return _responses(model.next_step(_responses_tools(body), body))

    async def completions(request: Request) -> Response:
        body = await request.json()
        step = model.next_step([tool["function"]["name"] for tool in body.get("tools", [])], body)
        return _completions(step, body)

    async def other(request: Request) -> Response:
        if request.url.path.endswith("/count_tokens"):
            return JSONResponse({"input_tokens": 10})
        return JSONResponse({"data": [], "models": [], "object": "list"} if request.url.path.endswith("/models") else {})

    return Starlette(
        routes=[
            Route("/v1/messages", messages, methods=["POST"]),
            Route("/v1/responses", responses, methods=["POST"]),
            Route("/v1/chat/completions", completions, methods=["POST"]),
            Route("/{path:path}", other, methods=["GET", "POST", "HEAD"]),
        ]
    )


def _events(items: list[Named], *, done: bool = False) -> Response:
    async def stream() -> AsyncIterator[str]:
        for name, data in items:
            yield (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"
        if done:
            yield "data: [DONE]\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


def _anthropic(step: Step, body: Body) -> Response:
    if step.tool:
        block: Body = {"type": "tool_use", "id": f"toolu_{time.time_ns()}", "name": step.tool, "input": step.arguments}
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
    else:
        block = {"type": "text", "text": step.text}
        empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": step.text}
    stop = "tool_use" if step.tool else "end_turn"
    usage = {"input_tokens": 10, "output_tokens": 5}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model"), "stop_sequence": None}
    if not body.get("stream"):
        return JSONResponse({**head, "content": [block], "stop_reason": stop, "usage": usage})
    sequence: list[Body] = [
        {"type": "message_start", "message": {**head, "content": [], "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    return _events([(data["type"], data) for data in sequence])


def _responses_tools(body: Body) -> list[str]:
    names = []
    for tool in body.get("tools", []):
        if tool.get("type") == "namespace":
            names += [f"{tool['name']}::{inner.get('name')}" for inner in tool.get("tools", [])]
        else:
            names.append(tool.get("name") or tool["type"])
    return names


def _responses(step: Step) -> Response:
    if step.tool:
        item: Body = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": f"call_{time.time_ns()}",
            "name": step.tool,
            "arguments": json.dumps(step.arguments),
            "status": "completed",
            **({"namespace": step.namespace} if step.namespace else {}),
        }
    else:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    usage = {
        "input_tokens": 10,
        "input_tokens_details": None,
        "output_tokens": 5,
        "output_tokens_details": None,
        "total_tokens": 15,
    }
    sequence: list[Body] = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {"id": "resp_1", "status": "completed", "output": [item], "usage": usage},
        },
    ]
    return _events([(data["type"], data) for data in sequence])


def _completions(step: Step, body: Body) -> Response:
    if step.tool:
        function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
        call = {"index": 0, "id": f"call_{time.time_ns()}", "type": "function", "function": function}
        message: Body = {"role": "assistant", "content": None, "tool_calls": [call]}
        finish = "tool_calls"
    else:
        message, finish = {"role": "assistant", "content": step.text}, "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    base = {"id": "c1", "created": 1, "model": body.get("model", "m")}
    if not body.get("stream"):
        choices = [{"index": 0, "message": message, "finish_reason": finish}]
        return JSONResponse({**base, "object": "chat.completion", "usage": usage, "choices": choices})
    chunk = {**base, "object": "chat.completion.chunk"}
    first = {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    last = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage}
    return _events([(None, first), (None, last)], done=True)
