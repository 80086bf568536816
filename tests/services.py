"""What some tests need beside Python: whether it is here, and the sentence of the skip when it is not."""

import importlib.util
import os
import shutil
from functools import cache

import pytest

REQUIRED = os.environ.get("TERTULIA_TEST_REQUIRE") == "1"
"""Set by `.ci/run`: what is missing there is a failure."""
WANTED = REQUIRED or "TERTULIA_TEST_DATABASE_URL" in os.environ
"""Whether whoever runs the suite thought of services."""
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")


def postgresql_url() -> str:
    """The server the suite runs on, else this machine's own."""
    return os.environ.get("TERTULIA_TEST_DATABASE_URL") or "postgresql://root@127.0.0.1:5432/postgres"


def redis_url() -> str:
    """The server the suite runs on, else this machine's own; a database number nobody else uses."""
    return os.environ.get("TERTULIA_TEST_REDIS_URL") or "redis://127.0.0.1:6379/15"


def chromium() -> str | None:
    """The browser's program."""
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


@cache
def missing(name: str) -> str:
    """Why a test that needs `name` cannot run here; empty when it can."""
    return {"postgresql": _no_postgresql, "redis": _no_redis, "browser": _no_browser, "gettext": _no_gettext}[name]()


def _no_postgresql() -> str:
    import psycopg

    server = postgresql_url().rpartition("/")[0] + "/postgres"
    try:
        psycopg.connect(server, connect_timeout=3).close()
    except psycopg.OperationalError:
        return "PostgreSQL does not answer; start one on 127.0.0.1:5432 or set TERTULIA_TEST_DATABASE_URL"
    return ""


def _no_redis() -> str:
    import redis

    try:
        with redis.Redis.from_url(redis_url(), socket_timeout=3, socket_connect_timeout=3) as client:
            client.ping()
    except redis.RedisError:
        return "Redis does not answer; start one on 127.0.0.1:6379 or set TERTULIA_TEST_REDIS_URL"
    return ""


def _no_browser() -> str:
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed; run: uv sync --all-groups"
    return "" if chromium() else "Chromium is not installed; on Debian: apt-get install chromium"


def _no_gettext() -> str:
    return "" if shutil.which("xgettext") else "xgettext is not installed; on Debian: apt-get install gettext"


def needs(item: pytest.Item) -> list[str]:
    """What the markers of a test name."""
    services = [str(name) for mark in item.iter_markers("service") for name in mark.args]
    return services + (["browser"] if item.get_closest_marker("browser") else [])


def skip_or_fail(item: pytest.Item) -> None:
    """Skip a test that lacks something and say why; where it is required, fail."""
    for name in needs(item):
        if reason := missing(name):
            (pytest.fail if REQUIRED else pytest.skip)(reason)
