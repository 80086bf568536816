"""Messages of a transcript as they are told to somebody: secrets masked, then cut, the whole within a limit. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions_app.redaction import is_secret_name, mask, redact

TEXT_MOST = 4_000
ANSWER_BYTES = 80 * 1024
MARK = "\n…(truncated)…"
PLACEHOLDER = "[left out: this message is too large to show]"
DROPPED = frozenset({"details", "usage", "cost"})
SIGNATURES = frozenset({"thinkingSignature", "thoughtSignature", "signature", "textSignature"})
LONG = frozenset({"text", "thinking", "partialJson", "content"})
WITH_DATA = frozenset({"image", "audio", "base64", "file", "document", "input_image", "input_audio"})
DATA_HEAD = 128
FRAME_BYTES = 1_024
"""What an answer takes beside its messages."""
DEEPEST = 12


@dataclass(slots=True)
class Flags:
    """What was done to the messages on their way."""

    dropped: bool = False
    cut: bool = False
    redacted: bool = False

    @property
    def truncated(self) -> bool:
        """Whether anything is missing."""
        return self.dropped or self.cut


@dataclass(frozen=True, slots=True)
class Told:
    """The messages, oldest first, what was done to them, and their size as compact JSON in bytes."""

    messages: list[dict[str, Any]]
    flags: Flags
    size: int


def tell(newest_first: Iterable[Mapping[str, Any]], most_bytes: int = ANSWER_BYTES) -> Told:
    """As many of the newest messages as fit. One that alone is too large is replaced by a word that says so."""
    flags, room = Flags(), most_bytes
    kept: list[dict[str, Any]] = []
    for message in newest_first:
        seen = Flags()
        told = cleaned(message, seen)
        size = size_of(told) + 1
        if size > most_bytes and not kept:
            told, seen = _placeholder(message), Flags(dropped=True)
            size = size_of(told) + 1
        if size > room:
            flags.dropped = True
            break
        flags.dropped |= seen.dropped
        flags.cut |= seen.cut
        flags.redacted |= seen.redacted
        room -= size
        kept.append(told)
    kept.reverse()
    return Told(kept, flags, size_of(kept))


def size_of(value: Any) -> int:
    """Bytes of compact JSON in UTF-8."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def cleaned(message: Mapping[str, Any], flags: Flags) -> dict[str, Any]:
    """One message without what only its runner needs, masked, and its texts cut."""
    told: dict[str, Any] = _walk({key: each for key, each in message.items() if key not in DROPPED}, "", flags, 0)
    return told


def _walk(value: Any, name: str, flags: Flags, depth: int) -> Any:
    if depth > DEEPEST:
        flags.cut = True
        return None
    if isinstance(value, str):
        return _text(value, name, flags)
    if isinstance(value, list):
        return [_walk(each, name, flags, depth + 1) for each in value]
    if isinstance(value, Mapping):
        return _block(value, flags, depth)
    return value


def _block(value: Mapping[str, Any], flags: Flags, depth: int) -> dict[str, Any]:
    if str(value.get("type")) in WITH_DATA and isinstance(value.get("data"), str):
        flags.cut = True
        rest = {key: each for key, each in value.items() if key != "data"}
        return {**dict(_walked(rest, flags, depth)), "omitted": True, "bytes": _image_size(value["data"])}
    return dict(_walked(value, flags, depth))


def _walked(value: Mapping[str, Any], flags: Flags, depth: int) -> Iterator[tuple[str, Any]]:
    for key, each in value.items():
        if key not in SIGNATURES:
            yield key, _walk(each, key, flags, depth + 1)


def _image_size(data: Any) -> int:
    """Bytes behind base64, as far as it is some."""
    return len(data) * 3 // 4 if isinstance(data, str) else 0


def _text(value: str, name: str, flags: Flags) -> str:
    if value.startswith("data:") and ";base64," in value[:DATA_HEAD]:
        flags.cut = True
        return value[: value.index(";base64,")] + ";omitted"
    masked, found = (mask(value), True) if value and is_secret_name(name) else redact(value)
    flags.redacted |= found
    if name in LONG and len(masked) > TEXT_MOST:
        flags.cut = True
        return masked[:TEXT_MOST] + MARK
    return masked


def _placeholder(message: Mapping[str, Any]) -> dict[str, Any]:
    role = message.get("role")
    return {"role": role if isinstance(role, str) and len(role) <= 16 else "assistant", "content": PLACEHOLDER}
