"""Which settings make the agent's door, and what its role is called."""

import pytest
from django.core.management import CommandError
from django.db import connection

from core.agent_door import roles
from project import agent_role
from project.databases import for_agents, postgresql
from project.env import SettingError
from tests.agent_door.command import output

DEFAULT = postgresql("postgresql://hub:secret@db:5432/hub")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite alone needs no role")
@pytest.mark.parametrize("way", ["--sql", "--apply"])
def test_on_sqlite_there_is_no_role_to_make(way: str) -> None:
    with pytest.raises(CommandError, match="The database is SQLite, where the agent's door needs no role"):
        output(way)
    assert agent_role.prepare() == [] == agent_role.wrong()


@pytest.mark.parametrize("url", ["postgresql://agents:pw@db/hub", "postgresql://agents@other:6432/hub?sslmode=require"])
def test_a_login_of_its_own_comes_to_the_same_database(url: str) -> None:
    restricted = for_agents(DEFAULT, url)
    assert (restricted["USER"], restricted["NAME"]) == ("agents", "hub")
    assert restricted["ENGINE"] == "core.agent_door.postgresql"


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://agents@db/hub", "AGENT_DATABASE_URL is no PostgreSQL address"),
        ("postgresql://agents@db:x/hub", "AGENT_DATABASE_URL has a port that is no number"),
        ("postgresql://agents@db/other", "AGENT_DATABASE_URL names another database"),
        ("postgresql://hub@db/hub", "AGENT_DATABASE_URL needs a login of its own"),
        ("postgresql://db/hub", "AGENT_DATABASE_URL needs a login of its own"),
    ],
)
def test_a_login_that_makes_no_sense_is_refused_at_start(url: str, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        for_agents(DEFAULT, url)


def test_a_login_beside_sqlite_is_refused_at_start() -> None:
    with pytest.raises(SettingError, match="the database is SQLite"):
        for_agents({"ENGINE": "django.db.backends.sqlite3", "NAME": "file"}, "postgresql://agents@db/hub")


def test_a_long_name_of_a_database_gives_a_name_that_postgresql_keeps() -> None:
    long = [roles.name_for("x" * 63), roles.name_for("x" * 62 + "y")]
    assert roles.name_for("hub") == "tertulia_agent_hub"
    assert all(len(name) <= roles.LONGEST_NAME for name in long) and long[0] != long[1]
