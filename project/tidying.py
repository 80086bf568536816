"""Running every pruning that the apps registered: one that fails does not stop the others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.actor import Actor
from core.registry import prunings

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Tidied:
    """What became of one kind: how many rows went or would go, or what stopped it."""

    kind: str
    rows: int | None
    error: Exception | None = None


def unheard(rows: int) -> None:
    """The progress nobody watches."""


def tidy(actor: Actor, *, dry_run: bool = False, progress: Callable[[str], Progress] | None = None) -> Iterator[Tidied]:
    """Prune every kind, in the order the apps came. `progress(kind)` answers what to call with the rows of each batch."""
    for kind, pruning in prunings.items():
        try:
            rows = pruning(actor=actor, dry_run=dry_run, progress=progress(kind) if progress else unheard)
        except Exception as error:
            yield Tidied(kind, None, error)
        else:
            yield Tidied(kind, rows)
