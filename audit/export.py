"""The audit log written out: JSON lines or CSV, for the command and for the page."""

import csv
import json
from collections.abc import Iterable
from typing import Any, TextIO

from audit.models import Entry

COLUMNS = (
    "id",
    "at",
    "account_id",
    "user_id",
    "who",
    "door",
    "deed",
    "connection_id",
    "target",
    "target_label",
    "details",
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_json(out: TextIO, rows: Iterable[Entry], *, header: bool = True) -> None:
    """One object a line; `header` is for CSV."""
    for row in rows:
        out.write(json_line(row) + "\n")


def json_line(row: Entry) -> str:
    """An entry as one JSON object, without the end of its line."""
    return json.dumps(_plain(row), ensure_ascii=False)


def write_csv(out: TextIO, rows: Iterable[Entry], *, header: bool = True) -> None:
    """A header and one row an entry; a text that a spreadsheet would take for a formula gets a quote before it."""
    writer = csv.writer(out)
    if header:
        writer.writerow(COLUMNS)
    for row in rows:
        plain = _plain(row)
        plain["details"] = json.dumps(plain["details"], ensure_ascii=False)
        writer.writerow([_harmless(plain[name]) for name in COLUMNS])


def _plain(row: Entry) -> dict[str, Any]:
    return {name: row.at.isoformat() if name == "at" else getattr(row, name) for name in COLUMNS}


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value
