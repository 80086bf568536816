"""SQLite's authorizer: asked once for each thing that a statement would do, when the statement is prepared."""

import sqlite3
from collections.abc import Callable, Iterable

from core.agent_door.rights import TableRights, WordIndex

Answer = Callable[[int, str | None, str | None, str | None, str | None], int]
ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT, sqlite3.SQLITE_RECURSIVE})
REFUSED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer"})
BUSY_TIMEOUT, DATA_VERSION = "busy_timeout", "data_version"
SCHEMA = "sqlite_master"
BEHIND_AN_INDEX = ("data", "idx", "config", "content", "docsize")


def tables_behind(indexes: Iterable[WordIndex]) -> list[str]:
    """The tables of FTS5's own behind these indexes."""
    return [f"{each.table}_{part}" for each in indexes for part in BEHIND_AN_INDEX]


def authorizer(tables: Iterable[TableRights], indexes: Iterable[WordIndex]) -> Answer:
    """The callback for `Connection.set_authorizer` that allows these rights and nothing else.

    FTS5 declares its table by statements on `sqlite_master` and writes the tables behind it by statements of its own, which
    cannot be told from others here: the connection's cursors look at the text of those. A direct change of `sqlite_master` is
    refused by SQLite itself.
    """
    reads = {each.table: each.read for each in tables}
    inserts = {each.table for each in tables if each.insert}
    updates = {each.table: each.update for each in tables}
    behind = set(tables_behind(indexes))
    searched = {each.table for each in indexes} | {each.marks for each in indexes} | behind | {SCHEMA}
    within = {(table, each.trigger) for each in indexes for table in (each.table, each.marks)}

    def may_read(table: str | None, column: str | None, trigger: str | None) -> bool:
        return table in searched or (table in reads and (not column or column in reads[table]))

    def may_insert(table: str | None, _: str | None, trigger: str | None) -> bool:
        return table in inserts or table in behind or (table, trigger) in within

    def may_update(table: str | None, column: str | None, trigger: str | None) -> bool:
        return (table in updates and column in updates[table]) or table in behind or table == SCHEMA

    def may_delete(table: str | None, _: str | None, trigger: str | None) -> bool:
        return table in behind

    def may_set(pragma: str | None, value: str | None, trigger: str | None) -> bool:
        return pragma == BUSY_TIMEOUT or (pragma == DATA_VERSION and value is None)

    def may_call(_: str | None, function: str | None, trigger: str | None) -> bool:
        return (function or "").lower() not in REFUSED_FUNCTIONS

    asked = {
        sqlite3.SQLITE_READ: may_read,
        sqlite3.SQLITE_INSERT: may_insert,
        sqlite3.SQLITE_UPDATE: may_update,
        sqlite3.SQLITE_DELETE: may_delete,
        sqlite3.SQLITE_PRAGMA: may_set,
        sqlite3.SQLITE_FUNCTION: may_call,
    }

    def answer(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
        if action in ALLOWED:
            return sqlite3.SQLITE_OK
        may = asked.get(action)
        return sqlite3.SQLITE_OK if may is not None and may(first, second, trigger) else sqlite3.SQLITE_DENY

    return answer
