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


def for_agents(default: dict[str, Any], url: str) -> dict[str, Any]:
    """Django's `DATABASES["agent"]`: the same database under fewer rights (`core.agent_door`), on PostgreSQL by a login of
    its own where `url` names one. Raises SettingError."""
    is_sqlite = default["ENGINE"].endswith("sqlite3")
    if url and is_sqlite:
        raise SettingError("AGENT_DATABASE_URL is set, but the database is SQLite; unset it, or set DATABASE_URL too.")
    restricted = {**default, **postgresql(url, name="AGENT_DATABASE_URL")} if url else dict(default)
    if url and restricted["USER"] in {"", default["USER"]}:
        raise SettingError("AGENT_DATABASE_URL needs a login of its own: a user other than that of DATABASE_URL.")
    if restricted["NAME"] != default["NAME"]:
        raise SettingError("AGENT_DATABASE_URL names another database than DATABASE_URL; give both the same name.")
    engine = "core.agent_door.sqlite3" if is_sqlite else "core.agent_door.postgresql"
    return {**restricted, "ENGINE": engine, "TEST": {"MIRROR": "default"}}


def postgresql(url: str, name: str = "DATABASE_URL") -> dict[str, Any]:
    """From `postgresql://user:password@host:port/name?option=value`, which the variable `name` holds; a lock is waited for at
    most five seconds."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise SettingError(f"{name} is no PostgreSQL address; set it to postgresql://user:password@host:5432/name.")
    try:
        port = parts.port
    except ValueError:
        raise SettingError(f"{name} has a port that is no number; set it to postgresql://user:password@host:5432/name.") from None
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
