"""Between transcripts and what pydantic-ai calls messages. Pure."""

from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

Message = dict[str, Any]
RESULT_LENGTH = 65_536
NOTES = {"user": "", "system": "[a note of the hub, not the user's words]\n"}
"""How what did not come from the model is marked. Many models refuse a system message once a conversation has begun."""


def as_history(said: Sequence[Message]) -> list[ModelMessage]:
    """What was said before, as a model is given it."""
    found: list[ModelMessage] = []
    for each in said:
        if each["role"] in NOTES:
            found.append(ModelRequest(parts=[UserPromptPart(content=NOTES[each["role"]] + each["content"])]))
        else:
            found.append(ModelResponse(parts=[TextPart(content=each["content"])]))
    return found


def as_entries(message: ModelMessage) -> list[Message]:
    """What of a message enters the transcript while the run goes on: calls of tools and their results."""
    if isinstance(message, ModelResponse):
        calls = [_call(part) for part in message.parts if isinstance(part, ToolCallPart)]
        texts = [{"type": "text", "text": part.content} for part in message.parts if isinstance(part, TextPart) and part.content]
        return [{"role": "assistant", "content": [*texts, *calls]}] if calls else []
    return [_result(part) for part in message.parts if isinstance(part, ToolReturnPart | RetryPromptPart) and part.tool_name]


def _call(part: ToolCallPart) -> Message:
    return {"type": "toolCall", "id": part.tool_call_id, "name": part.tool_name, "arguments": arguments_of(part)}


def arguments_of(part: ToolCallPart) -> dict[str, Any]:
    """The arguments a model gave; none where they are no JSON object."""
    try:
        return dict(part.args_as_dict())
    except (ValueError, TypeError, AssertionError):
        return {}


def _result(part: "ToolReturnPart | RetryPromptPart") -> Message:
    is_error = isinstance(part, RetryPromptPart) or getattr(part, "outcome", "success") != "success"
    text = part.model_response() if isinstance(part, RetryPromptPart) else part.model_response_str()
    return {
        "role": "toolResult",
        "toolCallId": part.tool_call_id,
        "toolName": part.tool_name,
        "content": [{"type": "text", "text": text[:RESULT_LENGTH].replace("\0", "")}],
        "isError": is_error,
    }
