"""T-73: code behind the agent's door that tries what it may not is refused by the database itself, on every thread of it."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.db import connection, connections

from chat.models import Cursor, Grant, Message
from chat.tickets.actions import issue_ticket
from core import agent_door, clock, executors
from project import agent_role
from tests import door, make
from tests.agent_door import attempts
from tests.asgi import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_login", "threaded")]
LOGINS = ["as the hub sets it up", "with a login of its own"]


@pytest.fixture(params=LOGINS)
def own_login(request: pytest.FixtureRequest, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both ways on PostgreSQL; SQLite knows one."""
    if request.param == LOGINS[0]:
        yield
        return
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no logins")
    restricted = connections.settings[agent_door.ALIAS]
    monkeypatch.setitem(restricted, "USER", f"login_{restricted['NAME']}"[:63])
    monkeypatch.setitem(restricted, "PASSWORD", "of the agents")
    settings.AGENT_DATABASE_URL = "postgresql://as-above"
    agent_role.apply()
    yield
    executors.shut_down()
    door.drop_role()


@pytest.fixture
def launch(alice: make.Person) -> make.Launch:
    """A granted launch with a row in each table that the attempts go for."""
    lead = make.granted(alice, "lead")
    make.message(alice, by=lead)
    issue_ticket(lead, session_name="me")
    Cursor.objects.create(account=alice.account, reader="handle:lead", topic="general", seq=1, moved_at=clock.now())
    return make.Launch.objects.defer(None).get(pk=lead.launch_id)


def test_t_73_it_writes_nothing_of_the_owners_nor_of_the_hubs(launch: make.Launch) -> None:
    tried = attempts.writing(launch)
    assert run(executors.agent_write(attempts.let_through, tried)) == []
    assert run(executors.agent_read(attempts.let_through, tried)) == []
    assert (Grant.objects.count(), Message.objects.get().body) == (1, "hello")


def test_t_73_it_reads_no_secret(launch: make.Launch) -> None:
    assert run(executors.agent_read(attempts.let_through, attempts.reading())) == []
    assert run(executors.agent_write(attempts.let_through, attempts.reading())) == []


def test_t_73_injected_sql_deletes_nothing_and_leaves_schema_and_files_alone(launch: make.Launch, settings: LazySettings) -> None:
    tried = attempts.in_sql(str(settings.TERTULIA_HOME))
    assert run(executors.agent_write(attempts.let_through, tried)) == []
    assert run(executors.agent_read(attempts.let_through, tried)) == []
    assert Message.objects.get().body == "hello" and Cursor.objects.count() == 1


def test_t_73_a_connection_opened_anew_is_held_to_the_same(launch: make.Launch) -> None:
    run(executors.agent_write(lambda: connection.close()))
    assert run(executors.agent_write(attempts.let_through, attempts.writing(launch))) == []


def test_a_login_of_its_own_is_not_to_be_shaken_off(launch: make.Launch, settings: LazySettings) -> None:
    if not settings.AGENT_DATABASE_URL:
        pytest.skip("only a login of its own holds this")
    for escape in ("RESET ROLE", f'SET ROLE "{connections.settings["default"]["USER"]}"', "SET SESSION AUTHORIZATION DEFAULT"):
        run(executors.agent_write(attempts.try_sql, escape))
        assert run(executors.agent_write(attempts.let_through, attempts.writing(launch))) == []
