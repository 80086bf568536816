"""Where what a push server says belongs: its channel and its content. Pure."""

import json
from dataclasses import dataclass
from typing import Any

from triggers.values import DEFAULT_CHANNEL, RAW

PREFIX = "notifications/"
SWALLOWED = "notifications/initialized"
CARRIERS = frozenset({"message", "channel/message"})
"""Methods whose parameters name the channel and hold the content."""
CONTENT = ("content", "text", "message")
"""Where a carrier's content lies; the first that is not empty wins."""
HANDLED = frozenset({"notifications/tools/list_changed"})
"""What the hub does something about by itself."""
FRAME = frozenset({"jsonrpc", "id", "method", "params"})
"""What a message is wrapped in; all else, where there is no method, is what it says."""
NOTHING: tuple[Any, ...] = (None, {}, [])
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Routed:
    """One thing a server said. `handled_news`: the protocol's own news, which the hub heeds if the server's owner wants that;
    it goes by the method alone, whatever the server writes beside it."""

    channel: str
    content: str
    method: str = ""
    handled_news: bool = False


def route(text: str) -> Routed | None:
    """Channel and content of what was said; None: it is swallowed. What is no notification goes to `raw` as it came."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return Routed(RAW, text)
    if told is None:
        return Routed(DEFAULT_CHANNEL, "")
    if not isinstance(told, dict) or not isinstance(told.get("method", ""), str | None):
        return Routed(RAW, text)
    if not told.get("method") and told.get("params") in NOTHING and told.keys() - FRAME:
        return Routed(DEFAULT_CHANNEL, text)
    return _notification(told.get("method") or "", told.get("params"))


def _notification(method: str, params: Any) -> Routed | None:
    if method == SWALLOWED:
        return None
    if method in CARRIERS and isinstance(params, dict):
        return Routed(_named(params), _carried(params), method)
    return Routed(_channel(method), _whole(params), method, method in HANDLED)


def _channel(method: str) -> str:
    if not method.strip() or method in CARRIERS:
        return DEFAULT_CHANNEL
    return method.removeprefix(PREFIX) or method


def _named(params: dict[str, Any]) -> str:
    channel = params.get("channel")
    return channel if isinstance(channel, str) and channel.strip() else DEFAULT_CHANNEL


def _carried(params: dict[str, Any]) -> str:
    """The content a carrier brings; where it has none by name, all its other parameters."""
    for name in CONTENT:
        if told := _whole(params.get(name)):
            return told
    return _whole({name: value for name, value in params.items() if name not in {"channel", *CONTENT}})


def _whole(value: Any) -> str:
    """Text as it is; anything else as compact JSON; nothing of what is not there or empty."""
    if isinstance(value, str):
        return value
    return _compact(value) if value not in NOTHING else ""
