"""The same command on PostgreSQL and Redis, chosen by environment alone."""

import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests import services
from tests.running.hub import ROOT, Command, environment, free_port, get

pytestmark = [
    pytest.mark.xdist_group("hub"),
    pytest.mark.service("postgresql", "redis"),
    pytest.mark.timeout(300),
    pytest.mark.skipif(not services.WANTED, reason="runs with the suite on PostgreSQL, or where nothing may be skipped"),
]


@pytest.fixture
def database_url() -> Iterator[str]:
    """A database of the test's own."""
    server, name = services.postgresql_url().rpartition("/")[0], f"tertulia_up_{secrets.token_hex(4)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{server}/{name}"
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def test_up_serves_on_postgresql_and_redis_and_hands_tasks_to_its_workers(tmp_path: Path, database_url: str) -> None:
    port = free_port()
    redis_url = f"{services.redis_url().rpartition('/')[0]}/{secrets.choice(range(2, 13))}"  # nobody else's tasks
    env = environment(tmp_path / "data", DATABASE_URL=database_url, REDIS_URL=redis_url)
    hub = Command(["up", "--port", str(port), "--owner", "ana@example.org"], env)
    try:
        hub.until("Tertulia is ready")
        assert get(port, "/readyz")[0] == 200
        send = "from project.celery import app; app.send_task('project.tasks.prune')"
        subprocess.run([sys.executable, "-c", send], cwd=ROOT, env=env, check=True, timeout=60)
        assert hub.until("pruned").startswith("short | ")
        hub.process.terminate()
        assert hub.end()[0] == 0
    finally:
        hub.kill()
    assert not list((tmp_path / "data").glob("*.sqlite3"))
