"""Whether a push server's allow-list lets a channel in. Pure."""

from collections.abc import Sequence

EVERY = "*"


def allowed(channels: Sequence[str] | None, channel: str) -> bool:
    """Whether `channel` is let in: names are literal and trimmed, `*` lets all in, and so does a list that is missing or empty.

    A list of nothing but blanks lets none in: somebody meant to name something.
    """
    if not channels:
        return True
    named = {name.strip() for name in channels}
    return EVERY in named or (channel != "" and channel in named)
