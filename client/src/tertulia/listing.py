"""Lists of a hub that come in pages."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tertulia.signing import Asked

PAGE_MOST = 100


def rows_of(hub: Asked, path: str, query: Sequence[tuple[str, str]], most: int, **how: Any) -> tuple[list[Any], bool]:
    """The first `most` rows, and whether there are more; what is no list comes as one row None. `how`: see `Wire.send`."""
    rows: list[Any] = []
    cursor = ""
    while True:
        page = [("page_size", str(min(most - len(rows), PAGE_MOST))), *([("cursor", cursor)] if cursor else [])]
        data = hub.ask("GET", path, query=[*query, *page], **how)
        found = data.get("results") if isinstance(data, dict) else None
        rows += found if isinstance(found, list) else [None]
        cursor = _cursor(data.get("next")) if found else ""
        if not cursor or len(rows) >= most:
            return rows[:most], bool(cursor)


def _cursor(following: object) -> str:
    """Of the address of the next page; its other parts are ours to say."""
    found = parse_qs(urlsplit(following).query).get("cursor", []) if isinstance(following, str) else []
    return found[0] if found else ""
