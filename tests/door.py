"""The agent's door in the test's own thread: its connection is held to the door's rights while work for an agent runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from django.db import connection
from psycopg import Error

from core.agent_door.authorizer import authorizer
from core.agent_door.rights import tables, word_indexes
from project import agent_role
from tests.asgi import sync

T = TypeVar("T")


def through_the_door(work: Callable[[], T]) -> T:
    """Run work as `core.executors` does for agents, within the test's transaction."""
    return sync(lambda: _restricted(work))


def _restricted(work: Callable[[], T]) -> T:
    with _authorized() if connection.vendor == "sqlite" else _as_the_role():
        return work()


@contextmanager
def _authorized() -> Iterator[None]:
    connection.ensure_connection()
    opened = connection.connection
    opened.set_authorizer(authorizer(list(tables), list(word_indexes)))
    try:
        yield
    finally:
        opened.set_authorizer(None)


@contextmanager
def _as_the_role() -> Iterator[None]:
    connection.ensure_connection()
    driver = connection.connection  # by the driver: tests count what Django asks
    driver.execute(f'SET ROLE "{agent_role.name()}"')
    try:
        yield
    finally:
        with suppress(Error):  # a failed transaction is rolled back, and the role with it
            driver.execute("RESET ROLE")


def make_role() -> None:
    """Make the role on PostgreSQL, as `up` does."""
    if connection.vendor == "postgresql":
        agent_role.apply()


def drop_role() -> None:
    """Leave no role on the server for a database that goes."""
    if connection.vendor == "postgresql":
        role = agent_role.name()
        with connection.cursor() as cursor:
            cursor.execute(f'DROP OWNED BY "{role}"')
            cursor.execute(f'DROP ROLE "{role}"')
