"""Removing many rows a few at a time, so that whoever writes beside waits for one batch at most."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet


def remove_in_batches(
    rows: QuerySet[Any],
    remove: Callable[[list[Any]], int],
    *,
    size: int,
    dry_run: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Remove what `rows` finds, the lowest keys first, `size` at a time; answers how many rows went, or with `dry_run` would.

    `remove` takes the keys of a batch and answers how many rows went; what it leaves must be what `rows` no longer finds.
    `progress`: see `core.registry.Pruning`.
    """
    if dry_run:
        return int(rows.count())
    gone = 0
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:size]):
        gone += remove(keys)
        progress(len(keys))
    return gone
