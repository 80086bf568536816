"""Text that came from somewhere else: what is allowed in, and how it is cut for showing."""

ALLOWED_CONTROLS = frozenset("\t\n")


def first_control_character(text: str) -> str | None:
    """The first control character other than tab and newline, or None. Surrogates count: they cannot be stored."""
    for character in text:
        point = ord(character)
        if (point < 32 and character not in ALLOWED_CONTROLS) or 127 <= point < 160 or 0xD800 <= point <= 0xDFFF:
            return character
    return None


def is_printable(text: str) -> bool:
    """Whether every character has a shape or is a plain space."""
    return text.isprintable()


def byte_length(text: str) -> int:
    """Length in bytes of UTF-8; a lone surrogate counts three."""
    return len(text.encode("utf-8", "surrogatepass"))


def cut_bytes(text: str, limit: int) -> str:
    """The longest beginning of `text` of at most `limit` bytes of UTF-8 that ends on a whole character."""
    raw = text.encode("utf-8", "surrogatepass")
    return text if len(raw) <= limit else raw[:limit].decode("utf-8", "ignore")


def one_line(text: str, limit: int) -> str:
    """`text` for a list or a log: white space folded, unprintable characters as `?`, at most `limit` characters."""
    folded = " ".join(text.split())
    clean = "".join(character if character.isprintable() else "?" for character in folded)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
