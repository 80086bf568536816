"""What tools of push servers are called before models: `<server>__<tool>`, in the characters that providers take. Pure."""

import hashlib
import re
from collections.abc import Iterable

JOINT = "__"
LONGEST = 64
DIGEST = 8
_OTHERS = re.compile(r"[^A-Za-z0-9_-]")


def offered_name(server: str, tool: str) -> str:
    """At most 64 characters; where some had to be changed or left out, a digest keeps it apart from every other."""
    whole = f"{server}{JOINT}{tool}"
    plain = _OTHERS.sub("_", whole)
    if plain == whole and len(plain) <= LONGEST:
        return plain
    mark = hashlib.sha256(whole.encode()).hexdigest()[:DIGEST]
    return f"{plain[: LONGEST - DIGEST - 1]}_{mark}"


def prefix(server: str) -> str:
    """With what the names of a server's tools begin."""
    return _OTHERS.sub("_", server) + JOINT


def passes_for_another(server: str, name: str, servers: Iterable[str]) -> bool:
    """Whether a tool's name reads as one of another server, by a server's choice or by chance: it is not offered then."""
    own = prefix(server)
    others = {prefix(each): each for each in servers if each != server}
    longer = any(name.startswith(each) for each in others if len(each) > len(own))
    return longer or (own in others and own != f"{server}{JOINT}")
