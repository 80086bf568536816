"""An announcement's text as a messenger or the chat may get it. Pure."""

from core.text import FORBIDDEN, byte_length, cut_bytes

LONGEST = 8_000
"""Of a text in bytes: some messengers take it in two or three parts, and the whole stands in the transcript."""
CUT = "\n… (cut; the whole stands in the session's transcript)"


def fitting(text: str, most_bytes: int = LONGEST) -> str:
    """The text without control characters, at most `most_bytes` (0: `LONGEST`) and in no case more than `LONGEST`."""
    most = min(most_bytes or LONGEST, LONGEST)
    clean = FORBIDDEN.sub("?", text).strip()
    if byte_length(clean) <= most:
        return clean
    return cut_bytes(clean, max(most - byte_length(CUT), 1)) + CUT if most > byte_length(CUT) else cut_bytes(clean, most)
