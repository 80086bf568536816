"""The migrated SQLite database of the suite, kept between runs: making it anew takes each worker many seconds.

A copy is good as long as every migration reads as it did when it was made; what migrations left out is still run on it.
"""

import hashlib
import os
import shutil
import sqlite3
from pathlib import Path

from django.apps import apps

KEPT = 3


def place(folder: Path) -> Path:
    """Where the copy for the migrations of now lies, or would lie."""
    digest = hashlib.sha256(sqlite3.sqlite_version.encode())
    for app in sorted(apps.get_app_configs(), key=lambda each: each.label):
        for file in sorted((Path(app.path) / "migrations").glob("*.py")):
            digest.update(f"{app.label}/{file.name}".encode() + file.read_bytes())
    return folder / f"{digest.hexdigest()[:16]}.sqlite3"


def put(copy: Path, database: Path) -> bool:
    """Lay the copy where the suite's database is to be; False where there is none."""
    try:
        shutil.copyfile(copy, database)
    except FileNotFoundError:
        return False
    return True


def keep(database: Path, copy: Path) -> None:
    """Keep a fresh database for runs to come, and only the newest few."""
    partial = copy.with_suffix(f".{os.getpid()}")
    with sqlite3.connect(database) as source, sqlite3.connect(partial) as target:
        source.backup(target)
    source.close()
    target.close()
    partial.replace(copy)
    for old in sorted(copy.parent.glob("*.sqlite3"), key=lambda each: each.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)
