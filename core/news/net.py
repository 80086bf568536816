"""The net beneath the hints: a periodic look at the database for what somebody here waits for.

An app registers, for a kind of key, one function that answers the present version of each id in one query. A version that
differs from the last one seen rings the key, so that a lost hint costs latency, never a message.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog
from django.conf import settings

from core import executors
from core.news.board import board

log = structlog.get_logger(__name__)
Version = tuple[Any, ...]
_nets: dict[str, Callable[[list[str]], dict[str, Version]]] = {}
_seen: dict[str, Version] = {}


def register(kind: str, versions: Callable[[list[str]], dict[str, Version]]) -> None:
    """`versions(ids)` answers id → version for keys `kind:id`; an id it leaves out counts as changed once."""
    _nets[kind] = versions


async def mend_once() -> list[str]:
    """Look once; rings and returns the keys whose version changed since the last look (or are looked at first)."""
    changed: list[str] = []
    awaited: set[str] = set()
    for kind, versions in _nets.items():
        ids = board.awaited(kind)
        if not ids:
            continue
        present = await executors.read(versions, ids)
        for each in ids:
            key = f"{kind}:{each}"
            awaited.add(key)
            version = present.get(each, ())
            if _seen.get(key) != version:
                _seen[key] = version
                changed.append(key)
    for key in [key for key in _seen if key not in awaited]:
        del _seen[key]
    if changed:
        board.ring(changed)
    return changed


async def mend_for_ever() -> None:
    """`mend_once` every `NEWS_RECHECK_SECONDS`, whatever happens."""
    while True:
        await asyncio.sleep(settings.NEWS_RECHECK_SECONDS)
        try:
            await mend_once()
        except Exception:
            log.warning("news_net_failed", exc_info=True)
