"""The database that the environment chooses: SQLite in the data folder, or PostgreSQL by `DATABASE_URL`."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from project.env import SettingError


def database(url: str, file: Path, *, busy: int, synchronous: str) -> dict[str, Any]:
    """Django's `DATABASES["default"]`; raises SettingError on an address that is no PostgreSQL one."""
    return postgresql(url) if url else sqlite(file, busy=busy, synchronous=synchronous)


def sqlite(file: Path, *, busy: int, synchronous: str) -> dict[str, Any]:
    """WAL and IMMEDIATE transactions; the file is made 0600 before SQLite opens it, and its side files follow it."""
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    if file.stat().st_mode & 0o077:
        file.chmod(0o600)
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(file),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": busy,
            "transaction_mode": "IMMEDIATE",
            "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; PRAGMA cache_size=-16000;",
        },
    }


def postgresql(url: str) -> dict[str, Any]:
    """From `postgresql://user:password@host:port/name?option=value`; a lock is waited for at most five seconds."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise SettingError("DATABASE_URL is no PostgreSQL address; set it to postgresql://user:password@host:5432/name.")
    try:
        port = parts.port
    except ValueError:
        raise SettingError(
            "DATABASE_URL has a port that is no number; set it to postgresql://user:password@host:5432/name."
        ) from None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"options": "-c lock_timeout=5s", **dict(parse_qsl(parts.query))},
    }
