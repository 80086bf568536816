"""A bar on standard error where a person watches, and nothing where none does."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Within, what is yielded takes how much more is done."""
    if not sys.stderr.isatty():
        yield lambda more: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(description, total=total)
        yield lambda more: progress.advance(task, more)
