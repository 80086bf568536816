"""What Django loads for the engine `core.agent_door.sqlite3`."""

import sqlite3
from functools import lru_cache
from typing import Any

from django.db.backends.sqlite3 import base

from core.agent_door.authorizer import authorizer, tables_behind
from core.agent_door.rights import tables, word_indexes

KEEPER = """
    CREATE TEMP TRIGGER IF NOT EXISTS agent_keeps_{table} BEFORE DELETE ON main.{table}
    BEGIN SELECT RAISE(ABORT, 'an agent deletes no row of {table}'); END
"""


class Cursor(sqlite3.Cursor):
    """Runs no statement that names a table behind an index of words: emptied, it would let nobody post any more."""

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        """As SQLite's; raises DatabaseError."""
        _check(sql)
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any, /) -> Any:
        """As SQLite's; raises DatabaseError."""
        _check(sql)
        return super().executemany(sql, parameters)

    def executescript(self, sql: str, /) -> Any:
        """As SQLite's; raises DatabaseError."""
        _check(sql)
        return super().executescript(sql)


class DjangoCursor(base.SQLiteCursorWrapper, Cursor):
    """The same with Django's placeholders."""


class Connection(sqlite3.Connection):
    """A connection without any other cursor."""

    def cursor(self, factory: type[Cursor] = Cursor) -> Any:  # type: ignore[override]
        """A cursor, of a class that looks at each statement."""
        return super().cursor(factory)


def _check(sql: str) -> None:
    if _names_one_behind(sql):
        raise sqlite3.DatabaseError("not authorized: the tables behind an index are its own")


@lru_cache(maxsize=1024)
def _names_one_behind(sql: str) -> bool:
    """By its text alone: SQLite spells an identifier in no other way, and FTS5's own statements do not come by a cursor."""
    lowered = sql.lower()
    return any(table in lowered for table in tables_behind(word_indexes))


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose authorizer is set once, when it opens: to set it again makes each statement prepared anew."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Open, prepare what the authorizer would refuse, then set it."""
        opened = super().get_new_connection({**conn_params, "factory": Connection})
        restrict(opened)
        return opened

    def create_cursor(self, name: str | None = None) -> Any:
        """See Django's."""
        return self.connection.cursor(DjangoCursor)


def restrict(opened: sqlite3.Connection) -> None:
    """Hold this connection to the rights of the agent's door from now on.

    `INSERT OR REPLACE` deletes without asking the authorizer. With recursive triggers it sets off those of a deletion:
    a temporary one of this connection refuses it.
    """
    opened.execute("PRAGMA temp_store = MEMORY")
    opened.execute("PRAGMA recursive_triggers = ON")
    present = {name for (name,) in opened.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")}
    for each in tables:
        if each.table in present and (each.insert or each.update):
            opened.execute(KEEPER.format(table=each.table))
    _defend(opened)
    opened.set_authorizer(authorizer(list(tables), list(word_indexes)))


def _defend(opened: Any) -> None:
    """Shut the tables behind FTS5 to all but FTS5, where Python (from 3.12) can say so."""
    if hasattr(opened, "setconfig"):
        opened.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined, unused-ignore]
