"""What Django loads for the engine `core.agent_door.sqlite3`."""

import sqlite3
from typing import Any

from django.db.backends.sqlite3 import base

from core.agent_door.authorizer import authorizer
from core.agent_door.rights import tables, word_indexes

KEEPER = """
    CREATE TEMP TRIGGER IF NOT EXISTS agent_keeps_{table} BEFORE DELETE ON main.{table}
    BEGIN SELECT RAISE(ABORT, 'an agent deletes no row of {table}'); END
"""


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose authorizer is set once, when it opens: to set it again makes each statement prepared anew."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Open, prepare what the authorizer would refuse, then set it."""
        opened = super().get_new_connection(conn_params)
        restrict(opened)
        return opened


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
