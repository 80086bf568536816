"""`manage.py export_audit`: the audit log as JSON lines or CSV, streamed."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, time
from typing import Any, TextIO, cast

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from rich.console import Console
from rich.progress import track

from audit.export import write_csv, write_json
from audit.models import Entry
from audit.reading import account_ids_of
from core.actor import operator
from core.commands import HubCommand
from core.errors import Invalid

CHUNK = 2000


class Command(HubCommand):
    help = "Export the audit log, oldest first: JSON lines, or CSV."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="made 0600; - is standard output (default)")
        parser.add_argument("--account", metavar="EMAIL", help="only the account of this owner, deleted or not")
        parser.add_argument("--since", metavar="DATE", help="only from this day or moment on: 2026-01-31 or 2026-01-31T12:00")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="JSON lines (default)")
        form.add_argument("--csv", action="store_true", help="CSV with a header")

    def run(self, **options: Any) -> None:
        rows = entries(account=options["account"], since=options["since"])
        write = write_csv if options["csv"] else write_json
        with self._opened(options["file"]) as out, closing(_stream(rows)) as stream:
            write(out, _with_progress(stream, rows))

    @contextmanager
    def _opened(self, name: str) -> Iterator[TextIO]:
        if name == "-":
            yield cast(TextIO, self.stdout._out)
            return
        try:
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError as error:
            raise Invalid(f"{name} cannot be written ({error.strerror}); give another file.") from None
        os.fchmod(descriptor, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as out:
            yield out


def _stream(rows: QuerySet[Entry]) -> Generator[Entry]:
    """The rows in chunks, as a generator that can be closed before its end."""
    yield from rows.iterator(chunk_size=CHUNK)


def _with_progress(stream: Iterator[Entry], rows: QuerySet[Entry]) -> Iterable[Entry]:
    """The stream; with a bar on standard error where a person watches it."""
    if not sys.stderr.isatty():
        return stream
    return track(stream, total=rows.count(), description="Exporting", console=Console(stderr=True), transient=True)


def entries(*, account: str | None, since: str | None) -> QuerySet[Entry]:
    """What is asked for, oldest first. Raises Invalid for a date that is none, NotFound for an unknown account."""
    rows: QuerySet[Entry] = Entry.objects.visible_to(operator()).order_by("id")
    if since:
        rows = rows.filter(at__gte=moment(since))
    return rows.filter(account_id__in=account_ids_of(account)) if account else rows


def moment(text: str) -> datetime:
    """A day's first moment or a moment, in the hub's time zone unless it names one. Raises Invalid."""
    try:
        day = parse_date(text)
        found = datetime.combine(day, time.min) if day else parse_datetime(text)
    except ValueError:
        found = None
    if found is None:
        raise Invalid(f"{text} is no date; give one such as 2026-01-31 or 2026-01-31T12:00.")
    return found if timezone.is_aware(found) else timezone.make_aware(found)
