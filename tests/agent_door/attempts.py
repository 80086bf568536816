"""What code behind the agent's door tries: each a name and a deed. Nobody may get through with one of them."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, connection

from accounts.models import Account, Connection, Launch, OwnerProof, User
from audit.models import Entry
from chat.models import ChatSettings, Cursor, Grant, Message, Ticket, Topic
from core import clock

Attempt = Callable[[], object]


def writing(launch: Launch) -> dict[str, Attempt]:
    """By the ORM, as a bug of ours would: what belongs to the owner and to the hub."""
    now, account = clock.now(), launch.account_id
    own: dict[str, Any] = {"account_id": account, "launch_id": launch.pk}
    return {
        "grant itself": lambda: Grant.objects.create(**own, handle="me", granted_at=now, granted_by=1),
        "end a grant": lambda: Grant.objects.update(ended_at=now, end="revoked"),
        "take another handle": lambda: Grant.objects.update(handle="owner"),
        "be woken": lambda: Grant.objects.update(wake=True),
        "open a topic": lambda: Topic.objects.create(account_id=account, name="mine", created_at=now),
        "switch the chat on": lambda: ChatSettings.objects.update(allowed=True),
        "let every connection in": lambda: ChatSettings.objects.update(access="every"),
        "revive its launch": lambda: Launch.objects.update(ended_at=None),
        "claim a pane": lambda: Launch.objects.update(pane_state="claimed", wakeable=True),
        "register a launch": lambda: Launch.objects.bulk_create([_copy(launch)]),
        "become staff": lambda: User.objects.update(is_staff=True),
        "set a password": lambda: User.objects.update(password="x"),
        "revive a connection": lambda: Connection.objects.update(revoked_at=None),
        "widen its scopes": lambda: Connection.objects.update(scopes="mcp"),
        "make an account": lambda: Account.objects.create(owner_id=launch.user_id),
        "prove to be the owner": lambda: OwnerProof.objects.create(
            user_id=launch.user_id,
            connection_id=launch.connection_id,
            digest="d",
            created_at=now,
            expires_at=now + timedelta(hours=1),
        ),
        "rewrite a message": lambda: Message.objects.update(body="never said"),
        "sign a message": lambda: Message.objects.update(handle="lead"),
        "delete a message": lambda: Message.objects.all().delete(),
        "delete a mark": lambda: Cursor.objects.all()._raw_delete(using="default"),
        "delete a ticket": lambda: Ticket.objects.all()._raw_delete(using="default"),
        "prolong a ticket": lambda: Ticket.objects.update(expires_at=now),
        "delete from the log": lambda: Entry.objects.all()._raw_delete(using="default"),
    }


def reading() -> dict[str, Attempt]:
    """Secrets, by the ORM and in SQL."""
    return {
        "a person's password": lambda: list(User.objects.values_list("password")),
        "a person, whole": lambda: list(User.objects.all()),
        "a launch's credential": lambda: list(Launch.objects.values_list("credential")),
        "a ticket's digest": lambda: list(Ticket.objects.values_list("digest")),
        "owner's proofs": lambda: list(OwnerProof.objects.all()),
        **{text: _sql(text) for text in READING},
    }


READING = (
    "SELECT token_checksum FROM oauth2_provider_accesstoken",
    "SELECT token FROM oauth2_provider_refreshtoken",
    "SELECT code FROM oauth2_provider_grant",
    "SELECT client_secret FROM accounts_application",
    "SELECT session_data FROM django_session",
    "SELECT who FROM audit_entry",
    "SELECT id FROM accounts_user ORDER BY password",
    "SELECT * FROM accounts_user",
    "SELECT body FROM chat_message WHERE EXISTS (SELECT 1 FROM accounts_launch WHERE credential LIKE 'a%')",
)
IN_SQL = (
    "DELETE FROM chat_message",
    "DELETE FROM chat_mention",
    "UPDATE audit_entry SET who = ''",
    "UPDATE chat_ticket SET connection_id = 'c-0'",
    "INSERT INTO django_session (session_key, session_data, expire_date) VALUES ('k', 'd', '2030-01-01')",
    "UPDATE django_migrations SET name = ''",
    "DROP TABLE chat_message",
    "ALTER TABLE chat_message ADD COLUMN more integer",
    "ALTER TABLE chat_message RENAME TO gone",
    "CREATE TABLE mine (id integer)",
    "CREATE TEMPORARY TABLE mine (id integer)",
    "CREATE INDEX mine ON chat_message (body)",
    "CREATE VIEW mine AS SELECT 1",
    "DROP INDEX message_age",
)
IN_SQLITE = (
    "ATTACH DATABASE ':memory:' AS beside",
    "ATTACH DATABASE '{home}/beside.sqlite3' AS beside",
    "VACUUM INTO '{home}/copy.sqlite3'",
    "PRAGMA writable_schema = ON",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA recursive_triggers = OFF",
    "PRAGMA table_info(accounts_user)",
    "UPDATE sqlite_master SET sql = '' WHERE name = 'chat_message'",
    "DELETE FROM sqlite_master WHERE name = 'chat_message'",
    "SELECT load_extension('x')",
    "REINDEX",
    "ANALYZE",
    "CREATE TRIGGER mine AFTER INSERT ON chat_message BEGIN SELECT 1; END",
    "CREATE TEMP TRIGGER mine AFTER INSERT ON chat_message BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE mine USING fts5 (words)",
    "DROP TRIGGER agent_keeps_chat_message",
    "DROP TABLE chat_message_words",
    "INSERT INTO chat_message_words (chat_message_words) VALUES ('delete-all')",
    "DELETE FROM chat_message_words_data",
    'UPDATE "CHAT_MESSAGE_WORDS_DATA" SET block = NULL',
    "INSERT OR REPLACE INTO main.[chat_message_words_config] VALUES ('version', 1)",
    "WITH gone AS (SELECT 1) DELETE FROM chat_message_words_idx",
    "INSERT INTO chat_message_words_mark (account_id, seq) VALUES (1, 99)",
    "INSERT OR REPLACE INTO chat_message SELECT * FROM chat_message",
    "INSERT OR REPLACE INTO chat_cursor SELECT * FROM chat_cursor",
    "REPLACE INTO audit_entry (id, at, who, door, deed, connection_id, target, target_label, details) "
    "SELECT id, '2030-01-01', '', '', '', '', '', '', '{{}}' FROM audit_entry",
)
IN_POSTGRESQL = (
    "TRUNCATE chat_message",
    "CREATE ROLE mine",
    "CREATE FUNCTION mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA mine",
    "GRANT SELECT ON accounts_user TO PUBLIC",
    "ALTER TABLE chat_message DISABLE TRIGGER ALL",
    "COPY chat_message TO '/tmp/copy'",
    "COPY chat_message (body) FROM PROGRAM 'id'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT setval(pg_get_serial_sequence('chat_message', 'id'), 1)",
    "SELECT rolpassword FROM pg_authid",
    "SELECT body FROM chat_message FOR UPDATE",
)


REFUSALS = ("not authorized", "authorization denied", "prohibited", "an agent deletes no row", "may not be modified")
"""What SQLite says."""


def in_sql(home: str) -> dict[str, Attempt]:
    """Injected statements: rows that go, the schema, files."""
    own = IN_SQLITE if connection.vendor == "sqlite" else IN_POSTGRESQL
    return {text: _sql(text.format(home=home)) for text in (*IN_SQL, *own)}


def let_through(attempts: dict[str, Attempt]) -> list[str]:
    """The names of those that the database did not refuse."""
    return [name for name, deed in attempts.items() if not _is_refused(deed)]


def _is_refused(deed: Attempt) -> bool:
    try:
        deed()
    except DatabaseError as error:
        return _says_no(error)
    return False


def _says_no(error: DatabaseError) -> bool:
    """Whether that is a refusal, not a mistake in the statement."""
    if connection.vendor == "postgresql":
        return getattr(error.__cause__, "sqlstate", "") == "42501"
    return any(
        word in str(error)
        for word in ("not authorized", "authorization denied", "prohibited", "an agent deletes no row", "may not be modified")
    )


def _sql(text: str) -> Attempt:
    def run() -> None:
        with connection.cursor() as cursor:
            cursor.execute(text)

    return run


def _copy(launch: Launch) -> Launch:
    values = {field.attname: getattr(launch, field.attname) for field in Launch._meta.concrete_fields}
    return Launch(**values | {"id": None, "key": "l-0000000000000000", "credential": "0" * 64})


def try_sql(text: str) -> None:
    """Run a statement, whatever comes of it."""
    with suppress(DatabaseError):
        _sql(text)()
