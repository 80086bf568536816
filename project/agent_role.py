"""The role of the agent's door on PostgreSQL, made and looked at with the hub's own login."""

from django.conf import settings
from django.db import ProgrammingError, connection, connections, transaction
from django.db.migrations.recorder import MigrationRecorder

from core import agent_door
from core.agent_door import rights, roles
from core.errors import Forbidden, Invalid

MOST_TOLD = 3


def statements(*, with_password: bool) -> list[str]:
    """What makes the role, and renews its rights after an upgrade. Raises Invalid on SQLite."""
    if connection.vendor != "postgresql":
        raise Invalid("The database is SQLite, where the agent's door needs no role.")
    role, login = name(), bool(settings.AGENT_DATABASE_URL)
    verifier = _verifier(role) if login and with_password else None
    return list(roles.statements(role, rights.tables, _place(), login=login, verifier=verifier))


def apply() -> None:
    """Make the role, or renew its rights. Raises Invalid on SQLite, Forbidden where the hub's login may not."""
    wanted = statements(with_password=True)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in wanted:
                cursor.execute(statement)
    except ProgrammingError as error:
        if getattr(error.__cause__, "sqlstate", "") != "42501":
            raise
        raise Forbidden(
            "The hub's login may not make the role of the agent's door; have an administrator of the database run what "
            "`manage.py agent_role --sql` prints."
        ) from None


def prepare() -> list[str]:
    """Bring the role up to date, as far as the hub's login may; answers what is still wrong, as sentences for the operator.

    Without the role the hub works by its own login. Raises Invalid where a login of its own would not get through.
    """
    if connection.vendor != "postgresql":
        return []
    try:
        apply()
    except Forbidden as refusal:
        left = [refusal.detail]
    else:
        left = []
    found = wrong()
    lacks = [each for each in found if each.startswith(("lacks ", "is missing"))]
    if settings.AGENT_DATABASE_URL and lacks:
        raise Invalid(f"The login {name()} of AGENT_DATABASE_URL {lacks[0]}. {' '.join(left)}".rstrip())
    return [*left, *(f"The database role {name()} {each}." for each in found[:MOST_TOLD])]


def wrong() -> list[str]:
    """What is not as it should be with the role, each a few words; nothing on SQLite."""
    if connection.vendor != "postgresql":
        return []
    role = name()
    with connection.cursor() as cursor:
        if not roles.exists(cursor, role):
            return ["is missing"]
        kept_out = not settings.AGENT_DATABASE_URL and not roles.may_become(cursor, role)
        return [*(["is not open to the hub's login"] if kept_out else []), *roles.wrong_with(cursor, role, rights.tables)]


def name() -> str:
    """What the role is called. On PostgreSQL alone."""
    from core.agent_door.postgresql.base import role_of

    return role_of(connections.settings[agent_door.ALIAS])


def _place() -> roles.Place:
    present = {*connection.introspection.django_table_names(only_existing=True), MigrationRecorder.Migration._meta.db_table}
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database(), current_schema(), session_user")
        database, schema, hub = cursor.fetchone()
    return roles.Place(database=database, schema=schema, hub=hub, present=tuple(sorted(present)))


def _verifier(role: str) -> str | None:
    """The password in AGENT_DATABASE_URL as PostgreSQL stores it, so that no log of the server holds it; None: it has none."""
    password = connections.settings[agent_door.ALIAS]["PASSWORD"]
    if not password:
        return None
    connection.ensure_connection()
    made: bytes = connection.connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256")
    return made.decode()
