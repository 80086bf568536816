"""An announcement's text as a messenger or the chat may get it. Pure."""

from core.text import FORBIDDEN, byte_length, cut_bytes

LONGEST = 8_000
"""Of a text in bytes: some messengers take it in two or three parts, and the whole stands in the transcript."""
CUT = "\n… (cut; the whole stands in the session's transcript)"


def clean(text: str) -> str:
    """The text without control characters, which no database need take."""
    return FORBIDDEN.sub("?", text).strip()


def fitting(text: str, most_bytes: int = LONGEST) -> str:
    """The text without control characters, at most `most_bytes` (0: `LONGEST`) and in no case more than `LONGEST`."""
    most = min(most_bytes or LONGEST, LONGEST)
    plain = clean(text)
    if byte_length(plain) <= most:
        return plain
    room = most - byte_length(CUT)
    return cut_bytes(plain, room) + CUT if room > 0 else cut_bytes(plain, most)
