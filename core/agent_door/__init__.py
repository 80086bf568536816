"""The agent's door to the database: connections that refuse what no agent's call may do, even through a bug of ours.

`DATABASES["agent"]` is the same database under fewer rights, which the apps declare (`rights`). On SQLite an authorizer asks
them at each statement (`authorizer`), on PostgreSQL a role holds them (`grants`). `core.executors` lets the threads that work
for agents take that connection for their own, so that actions and reads run there unchanged.
"""

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.utils import load_backend

ALIAS = "agent"


def bind() -> None:
    """From now on this thread's connection to the database is one of the agent's door."""
    restricted = connections.settings[ALIAS]
    connections[DEFAULT_DB_ALIAS] = load_backend(restricted["ENGINE"]).DatabaseWrapper(restricted, DEFAULT_DB_ALIAS)
