"""The role of the agent's door on PostgreSQL: with exactly its rights however often it is made, and what if it is not there."""

import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections

from core import agent_door, executors
from core.agent_door import roles
from core.errors import Forbidden, Invalid
from project import agent_role
from tests.agent_door.command import output
from tests.asgi import run

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="roles are PostgreSQL's"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("threaded"),
]


@pytest.fixture
def own_name(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A role that no other test uses; gone at the end."""
    role = f"t_{secrets.token_hex(6)}"
    monkeypatch.setattr(roles, "name_for", lambda database: role)
    yield role
    executors.shut_down()
    with connection.cursor() as cursor:
        if roles.exists(cursor, role):
            cursor.execute(f'DROP OWNED BY "{role}"')
            cursor.execute(f'DROP ROLE "{role}"')


def one(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def acting_as() -> str:
    return str(run(executors.agent_read(one, "SELECT current_user")))


def test_the_door_acts_as_its_role() -> None:
    assert acting_as() == agent_role.name() == roles.name_for(connection.settings_dict["NAME"])


def test_it_is_made_as_often_as_one_likes(own_name: str) -> None:
    assert agent_role.wrong() == ["is missing"]
    assert output("--apply") == output("--apply") == f"The role {own_name} is ready.\n"
    assert agent_role.wrong() == [] and acting_as() == own_name


def test_what_is_printed_does_the_same(own_name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(output("--sql"))
    assert agent_role.wrong() == [] and acting_as() == own_name


def test_what_an_earlier_version_gave_is_taken_back(own_name: str) -> None:
    agent_role.apply()
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT DELETE ON chat_message TO {own_name}; GRANT UPDATE (handle) ON chat_grant TO {own_name}")
    assert agent_role.wrong() == ["may delete from chat_message"]
    agent_role.apply()
    assert agent_role.wrong() == []
    assert not one(f"SELECT has_column_privilege('{own_name}', 'chat_grant', 'handle', 'UPDATE')")


def test_without_it_the_hub_works_by_its_own_login(own_name: str) -> None:
    assert acting_as() == connection.settings_dict["USER"]
    assert run(executors.agent_write(one, "SELECT count(*) FROM chat_message")) == 0


def test_a_role_that_lacks_a_right_is_not_taken(own_name: str) -> None:
    agent_role.apply()
    with connection.cursor() as cursor:
        cursor.execute(f"REVOKE SELECT ON chat_message FROM {own_name}")
    assert "lacks SELECT on chat_message.body" in agent_role.wrong()
    assert acting_as() == connection.settings_dict["USER"]
    assert agent_role.prepare() == []
    executors.shut_down()
    assert acting_as() == own_name


def test_a_login_that_may_not_make_roles_says_who_can(own_name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET ROLE pg_monitor")
    try:
        with pytest.raises(Forbidden, match="have an administrator of the database run"):
            agent_role.apply()
        assert [sentence.split(";")[0] for sentence in agent_role.prepare()] == [
            "The hub's login may not make the role of the agent's door",
            f"The database role {own_name} is missing.",
        ]
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")


def test_a_new_login_gets_its_password_as_a_verifier(own_name: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections.settings[agent_door.ALIAS], "USER", own_name)
    monkeypatch.setitem(connections.settings[agent_door.ALIAS], "PASSWORD", "hunter2hunter2")
    settings.AGENT_DATABASE_URL = "postgresql://as-above"
    assert "hunter2" not in "".join(agent_role.statements(with_password=True))
    assert "PASSWORD" not in output("--sql") and "\\password" in output("--sql")
    agent_role.apply()
    assert one(f"SELECT rolpassword FROM pg_authid WHERE rolname = '{own_name}'").startswith("SCRAM-SHA-256$")
    assert acting_as() == own_name


def test_a_login_of_its_own_that_is_not_there_stops_the_start(
    own_name: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connections.settings[agent_door.ALIAS], "USER", own_name)
    settings.AGENT_DATABASE_URL = "postgresql://as-above"
    with connection.cursor() as cursor:
        cursor.execute("SET ROLE pg_monitor")
    try:
        with pytest.raises(Invalid, match=f"The login {own_name} of AGENT_DATABASE_URL is missing"):
            agent_role.prepare()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")
    with pytest.raises(DatabaseError):
        acting_as()
