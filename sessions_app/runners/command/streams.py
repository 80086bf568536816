"""What harnesses tell of a run, line by line: what is said, which tools are called, what it cost. Pure.

Whatever is not known is passed over: a newer harness says more.
"""

import json
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]
MICRO = 1_000_000
UNREACHED = "The harness could not reach the hub's tools; see that TERTULIA_URL leads to the hub from its own machine."


@dataclass(kw_only=True)
class Told:
    """What was told so far. `cost` in micro-dollars; `error` a cause, where the harness gave one."""

    reply: str = ""
    error: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    context_tokens: int | None = None
    cost: int | None = None
    model: str = ""
    ended: bool = False


class Stream:
    """Reads one dialect; `hear` answers the messages that enter the transcript now."""

    def __init__(self) -> None:
        self.told = Told()

    def hear(self, line: str) -> list[Message]:
        """Take one line in."""
        try:
            event = json.loads(line)
        except ValueError:
            return []
        try:
            return self.event(event) if isinstance(event, dict) else []
        except (TypeError, ValueError, KeyError, AttributeError):
            return []

    def event(self, event: dict[str, Any]) -> list[Message]:
        """Take one event in."""
        raise NotImplementedError


class Claude(Stream):
    """`claude -p --output-format stream-json`."""

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[str, str] = {}

    def event(self, event: dict[str, Any]) -> list[Message]:
        """Tool calls and their results as they come; the last text is the reply."""
        match event.get("type"):
            case "system" if event.get("subtype") == "init":
                self._begin(event)
            case "assistant":
                return self._assistant(event["message"])
            case "user":
                return self._results(event["message"])
            case "result":
                self._end(event)
        return []

    def _begin(self, event: dict[str, Any]) -> None:
        self.told.model = str(event.get("model") or "")
        states = {str(each.get("name")): str(each.get("status")) for each in event.get("mcp_servers") or []}
        if any(status in {"failed", "needs-auth", "disabled"} for status in states.values()):
            self.told.error = UNREACHED

    def _assistant(self, message: dict[str, Any]) -> list[Message]:
        blocks = message.get("content") or []
        calls = [_call(each.get("id"), each.get("name"), each.get("input")) for each in blocks if each.get("type") == "tool_use"]
        text = "".join(str(each.get("text", "")) for each in blocks if each.get("type") == "text")
        self._names |= {each["id"]: each["name"] for each in calls}
        usage = message.get("usage") or {}
        self.told.context_tokens = _claude_input(usage) + _number(usage.get("output_tokens"))
        if not calls:
            self.told.reply = text or self.told.reply
            return []
        said = [{"type": "text", "text": text}] if text else []
        return [{"role": "assistant", "content": [*said, *calls]}]

    def _results(self, message: dict[str, Any]) -> list[Message]:
        blocks = message.get("content")
        found = [each for each in blocks if each.get("type") == "tool_result"] if isinstance(blocks, list) else []
        return [
            _result(
                each["tool_use_id"], self._names.get(each["tool_use_id"], ""), each.get("content"), bool(each.get("is_error"))
            )
            for each in found
        ]

    def _end(self, event: dict[str, Any]) -> None:
        told = self.told
        told.ended = True
        usage = event.get("usage") or {}
        told.input_tokens, told.output_tokens = _claude_input(usage), _number(usage.get("output_tokens"))
        told.cost = _dollars(event.get("total_cost_usd"))
        if isinstance(event.get("result"), str):
            told.reply = event["result"]
        if event.get("is_error") or str(event.get("subtype", "success")) != "success":
            told.error = told.reply or f"The harness ended with {event.get('subtype')}."
            told.reply = ""


class Codex(Stream):
    """`codex exec --json`."""

    def event(self, event: dict[str, Any]) -> list[Message]:
        """Tool calls with their results once they are complete; the last message is the reply."""
        match event.get("type"):
            case "item.completed":
                return self._item(event["item"])
            case "turn.completed":
                usage = event.get("usage") or {}
                self.told.ended = True
                self.told.input_tokens += _number(usage.get("input_tokens"))
                self.told.output_tokens += _number(usage.get("output_tokens"))
            case "turn.failed":
                self.told.error = str((event.get("error") or {}).get("message") or "The turn failed.")
            case "error":
                self.told.error = str(event.get("message") or "")
        return []

    def _item(self, item: dict[str, Any]) -> list[Message]:
        if item.get("type") == "agent_message":
            earlier, self.told.reply = self.told.reply, str(item.get("text", ""))
            return [{"role": "assistant", "content": earlier}] if earlier else []
        if item.get("type") == "mcp_tool_call":
            name, failed = str(item.get("tool", "")), item.get("error") is not None or item.get("status") == "failed"
            outcome = item.get("error") if failed and item.get("error") else (item.get("result") or {})
            content = outcome.get("content", outcome.get("message", "")) if isinstance(outcome, dict) else outcome
            said = [{"type": "text", "text": self.told.reply}] if self.told.reply else []
            self.told.reply = ""
            call = {"role": "assistant", "content": [*said, _call(item.get("id"), name, item.get("arguments"))]}
            return [call, _result(item.get("id"), name, content, failed)]
        return []


class Pi(Stream):
    """`pi -p --mode json`."""

    def event(self, event: dict[str, Any]) -> list[Message]:
        """Messages as they end; the last text is the reply."""
        match event.get("type"):
            case "message_end" if (event.get("message") or {}).get("role") == "assistant":
                return self._assistant(event["message"])
            case "tool_execution_end":
                result = event.get("result") or {}
                content = result.get("content", "") if isinstance(result, dict) else result
                return [_result(event.get("toolCallId"), str(event.get("toolName", "")), content, bool(event.get("isError")))]
            case "agent_end":
                self.told.ended = True
        return []

    def _assistant(self, message: dict[str, Any]) -> list[Message]:
        told, usage = self.told, message.get("usage") or {}
        told.input_tokens += _number(usage.get("input"))
        told.output_tokens += _number(usage.get("output"))
        cost = _dollars((usage.get("cost") or {}).get("total")) if isinstance(usage.get("cost"), dict) else None
        told.cost = cost if told.cost is None else told.cost + (cost or 0)
        told.model = str(message.get("model") or told.model)
        if message.get("stopReason") == "error":
            told.error = str(message.get("errorMessage") or "The model failed.")
        blocks = message.get("content") or []
        calls = [
            _call(each.get("id"), each.get("name"), each.get("arguments")) for each in blocks if each.get("type") == "toolCall"
        ]
        text = "".join(str(each.get("text", "")) for each in blocks if each.get("type") == "text")
        if not calls:
            told.reply = text or told.reply
            return []
        said = [{"type": "text", "text": text}] if text else []
        return [{"role": "assistant", "content": [*said, *calls]}]


STREAMS: dict[str, type[Stream]] = {"claude": Claude, "codex": Codex, "pi": Pi}


def _call(call_id: Any, name: Any, arguments: Any) -> Message:
    return {"type": "toolCall", "id": str(call_id or ""), "name": str(name or ""), "arguments": arguments or {}}


def _result(call_id: Any, name: str, content: Any, is_error: bool) -> Message:
    texts = content if isinstance(content, list) else [{"type": "text", "text": content if isinstance(content, str) else ""}]
    kept = [{"type": "text", "text": str(each.get("text", ""))} for each in texts if isinstance(each, dict)]
    return {"role": "toolResult", "toolCallId": str(call_id or ""), "toolName": name, "content": kept, "isError": is_error}


def _claude_input(usage: dict[str, Any]) -> int:
    return sum(_number(usage.get(name)) for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"))


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def _dollars(value: Any) -> int | None:
    return round(value * MICRO) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 10**6 else None
