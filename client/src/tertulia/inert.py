"""Text from elsewhere, made harmless for a terminal, and for whatever reads a pipe. Pure.

Control characters, escape sequences, characters that turn the direction of writing and characters without a shape are shown as
`\\x1b` or `\\u202e`. A joiner within an emoji is left alone.
"""

from unicodedata import category

LEFT_ALONE = frozenset("\u200c\u200d")
UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def block(text: str) -> str:
    """Text of several lines; tab and newline stay."""
    return text if text.isascii() and text.isprintable() else "".join(map(_in_block, text))


def line(text: str, most: int = 0) -> str:
    """Text for one line, tab and newline shown too; cut to `most` characters, 0: not at all."""
    shown = text if text.isascii() and text.isprintable() else "".join(map(_shown, text))
    return shown if not most or len(shown) <= most else shown[: most - 1] + "…"


def _in_block(character: str) -> str:
    return character if character in "\n\t" else _shown(character)


def _shown(character: str) -> str:
    if category(character) not in UNSAFE or character in LEFT_ALONE:
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
