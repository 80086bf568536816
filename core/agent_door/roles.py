"""The role of the agent's door on PostgreSQL: its name, the statements that make it, and what of its rights is wrong.

Roles belong to the whole server, so one made by the hub is called after its database. All statements may be run again: they
take back what an earlier version gave, within one transaction, so that whoever uses the role meanwhile loses nothing.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from core.agent_door.rights import TableRights

LONGEST_NAME = 63
"""Bytes that PostgreSQL keeps of a name."""
LOCK = 7_402_051
"""Of two hubs that start at once, one waits until the other has made the role."""


def name_for(database: str) -> str:
    """What the role for a database is called where it has no login of its own."""
    name = f"tertulia_agent_{database}"
    if len(name.encode()) <= LONGEST_NAME:
        return name
    return f"tertulia_agent_{hashlib.sha256(database.encode()).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a role works: the database, its schema and the tables there, and the hub's own login."""

    database: str
    schema: str
    hub: str
    present: tuple[str, ...]


def statements(
    role: str, tables: Iterable[TableRights], place: Place, *, login: bool, verifier: str | None = None
) -> Iterator[str]:
    """SQL that brings the role to exactly these rights. One without a `login` the hub's own may become; `verifier` is a
    password as PostgreSQL stores it, for a login that is made now."""
    own, schema = quoted(role), quoted(place.schema)
    yield f"SELECT pg_advisory_xact_lock({LOCK})"
    yield _unless(f"EXISTS (SELECT FROM pg_roles WHERE rolname = {sql.quote(role)})", _creation(own, verifier, login=login))
    if not login:
        yield _unless(f"pg_has_role({sql.quote(place.hub)}, {sql.quote(role)}, 'MEMBER')", f"GRANT {own} TO {quoted(place.hub)}")
    yield from _shut_to_the_public(place)
    yield f"GRANT USAGE ON SCHEMA {schema} TO {own}"
    for table in place.present:
        yield f"REVOKE ALL ON {schema}.{quoted(table)} FROM {own}"
    for each in tables:
        yield f"GRANT {', '.join(_rights(each))} ON {schema}.{quoted(each.table)} TO {own}"


def _creation(own: str, verifier: str | None, *, login: bool) -> str:
    if not login:
        return f"CREATE ROLE {own} NOLOGIN"
    return f"CREATE ROLE {own} LOGIN" + (f" PASSWORD {sql.quote(verifier)}" if verifier else "")


def _rights(each: TableRights) -> Iterator[str]:
    yield f"SELECT ({_columns(each.read)})"
    if each.insert:
        yield "INSERT"
    if each.update:
        yield f"UPDATE ({_columns(each.update)})"


def _columns(names: Iterable[str]) -> str:
    return ", ".join(quoted(name) for name in sorted(names))


def _shut_to_the_public(place: Place) -> Iterator[str]:
    """What PostgreSQL gives to everybody would let the role make tables; only who owns schema and database can take it back."""
    for thing, right in ((f"SCHEMA {quoted(place.schema)}", "CREATE"), (f"DATABASE {quoted(place.database)}", "TEMPORARY")):
        yield _if_allowed(f"GRANT {right} ON {thing} TO {quoted(place.hub)}; REVOKE {right} ON {thing} FROM PUBLIC")


def _unless(condition: str, statement: str) -> str:
    return f"DO $body$ BEGIN IF NOT {condition} THEN {statement}; END IF; END $body$"


def _if_allowed(statement: str) -> str:
    return f"DO $body$ BEGIN {statement}; EXCEPTION WHEN insufficient_privilege THEN NULL; END $body$"


WRONG = """
    WITH wanted (tab, col, act) AS (SELECT * FROM unnest(%s::text[], %s::text[], %s::text[]))
    SELECT 'lacks ' || act || ' on ' || tab || '.' || col FROM wanted
    WHERE NOT coalesce(has_column_privilege(%s, to_regclass(quote_ident(tab)), col, act), FALSE)
    UNION ALL SELECT 'is a superuser' FROM pg_roles WHERE rolname = %s AND rolsuper
    UNION ALL SELECT 'may create tables' WHERE has_schema_privilege(%s, current_schema(), 'CREATE')
    UNION ALL SELECT 'may create temporary tables' WHERE has_database_privilege(%s, current_database(), 'TEMPORARY')
    UNION ALL SELECT 'may delete from ' || c.relname FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
        AND has_table_privilege(%s, c.oid, 'DELETE, TRUNCATE')
"""


def wrong_with(cursor: Any, role: str, tables: Iterable[TableRights]) -> list[str]:
    """What an existing role lacks of these rights, and the worst of what it has beyond them; each a few words."""
    wanted = [
        (each.table, column, act)
        for each in tables
        for act, columns in (("SELECT", each.read), ("UPDATE", each.update), ("INSERT", each.read if each.insert else ()))
        for column in sorted(columns)
    ]
    cursor.execute(WRONG, [*(list(column) for column in zip(*wanted, strict=True)), *[role] * 5])
    return [row[0] for row in cursor.fetchall()]


def exists(cursor: Any, role: str) -> bool:
    """Whether the server has this role."""
    cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", [role])
    return cursor.fetchone() is not None


def may_become(cursor: Any, role: str) -> bool:
    """Whether whoever asks is this existing role, or may become it."""
    cursor.execute("SELECT pg_has_role(%s, 'MEMBER')", [role])
    return bool(cursor.fetchone()[0])


def quoted(name: str) -> str:
    """A name in SQL."""
    return sql.Identifier(name).as_string()
