"""`manage.py prune`: the hourly clean-up, now."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.db import DatabaseError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from core.actor import operator
from core.commands import Error, HubCommand, add_json
from project.tidying import Progress as Batches
from project.tidying import Tidied, tidy


class Command(HubCommand):
    help = "Remove what is past its time: old chat messages, spent tokens, expired sign-ins."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only count what would go")
        add_json(parser)

    def run(self, **options: Any) -> None:
        dry_run = options["dry_run"]
        counted = list(tidy(operator(), dry_run=True))
        done = counted if dry_run else list(self._with_a_bar(counted))
        self.stdout.write(as_json(done) if options["json"] else as_lines(done, "would go" if dry_run else "went"))
        refuse_failures(done)

    def _with_a_bar(self, counted: list[Tidied]) -> Iterable[Tidied]:
        totals = {each.kind: each.rows or 0 for each in counted}
        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=Console(file=sys.stderr),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        with bar:

            def batches(kind: str) -> Batches:
                task = bar.add_task(kind, total=totals[kind])
                return lambda rows: bar.advance(task, rows)

            yield from tidy(operator(), progress=batches)


def refuse_failures(done: list[Tidied]) -> None:
    """Raise what a database said, for it is the same for all; else name the kinds that failed."""
    failed = [each for each in done if each.error is not None]
    for each in failed:
        if isinstance(each.error, DatabaseError):
            raise each.error
    if failed:
        why = ", ".join(f"{each.kind} ({type(each.error).__name__})" for each in failed)
        raise Error(f"Not everything could be pruned: {why}; the rest is done.")


def as_lines(done: list[Tidied], verb: str) -> str:
    """One line a kind."""
    width = max((len(each.kind) for each in done), default=0)
    counts = ["failed" if each.rows is None else f"{each.rows} {verb}" for each in done]
    return "\n".join(f"{each.kind:<{width}}  {count}" for each, count in zip(done, counts, strict=True))


def as_json(done: list[Tidied]) -> str:
    """For a program: a list of `kind` and `rows`, null where it failed."""
    return json.dumps([{"kind": each.kind, "rows": each.rows} for each in done])
