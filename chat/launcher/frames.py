"""What a launcher says, frame by frame. Pure."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from accounts.launches.values import LaunchEndIn, PaneState
from core.api.input import Strict
from core.bodies import decode_json
from core.errors import Invalid
from core.text import byte_length

MOST_BYTES = 65_536
MOST_ID = 2**53 - 1
"""The highest whole number that every reader of JSON keeps exact."""
TOO_LARGE = "too_large"


class BeatFrame(Strict):
    """The agent runs; this is what the launcher sees of its pane."""

    type: Literal["beat"]
    pane_state: PaneState


class HookFrame(Strict):
    """A hook of the harness asks what its agent should be told; the answer carries the same `id`."""

    type: Literal["hook"]
    id: int = Field(ge=0, le=MOST_ID)
    event: str = Field(max_length=64)


class WakeFrame(Strict):
    """What became of a wake that the hub asked for."""

    type: Literal["wake"]
    id: int = Field(ge=1, le=MOST_ID)
    outcome: Literal["ok", "focused", "not-idle", "stale", "refused"]
    detail: str = ""


class EndFrame(LaunchEndIn):
    """The agent's process has ended."""

    type: Literal["end"]


Frame = BeatFrame | HookFrame | WakeFrame | EndFrame
_FRAMES: TypeAdapter[Frame] = TypeAdapter(Annotated[Frame, Field(discriminator="type")])


def parse(text: str | None) -> Frame:
    """The frame in a text message (None: bytes came); raises Invalid."""
    if text is None:
        raise Invalid("Send text frames of JSON.")
    if byte_length(text) > MOST_BYTES:
        raise Invalid(f"A frame has at most {MOST_BYTES} bytes; send less.", code=TOO_LARGE)
    try:
        value = decode_json(text.encode())
        return _FRAMES.validate_python(value)
    except ValidationError:
        raise Invalid("That is no frame a launcher sends; it sends beat, hook, wake and end, each with its own fields.") from None
    except ValueError:
        raise Invalid("A frame is one JSON object in UTF-8.") from None
