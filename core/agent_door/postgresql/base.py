"""What Django loads for the engine `core.agent_door.postgresql`."""

from typing import Any

import structlog
from django.conf import settings
from django.db.backends.postgresql import base

from core.agent_door import roles
from core.agent_door.rights import tables

log = structlog.get_logger(__name__)
HINT = "run manage.py agent_role --apply"


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that becomes the role of the agent's door when it opens, or comes in by that role's own login.

    Without the role the hub works all the same, by its own login and with nothing refused; it says so in its log. A login of
    its own is what the operator asked for: there is no way around it.
    """

    def init_connection_state(self) -> None:
        """As Django sets a connection up; then become the role."""
        super().init_connection_state()
        role = role_of(self.settings_dict)
        with self.connection.cursor() as cursor:
            lacks = lacking(cursor, role)
            if lacks:
                log.warning("agent_role_not_ready", role=role, lacks=lacks[:3], hint=HINT)
            elif role != self.settings_dict["USER"]:
                cursor.execute(f"SET ROLE {roles.quoted(role)}")


def role_of(own: dict[str, Any]) -> str:
    """The role that connections with these settings act as."""
    return own["USER"] if settings.AGENT_DATABASE_URL else roles.name_for(own["NAME"])


def lacking(cursor: Any, role: str) -> list[str]:
    """Why calls of agents would fail under this role, a few words each; what it has beyond its rights is no reason."""
    if not roles.exists(cursor, role):
        return ["the role itself"]
    if not roles.may_become(cursor, role):
        return ["leave to become it"]
    return [each for each in roles.wrong_with(cursor, role, tables) if each.startswith("lacks ")]
