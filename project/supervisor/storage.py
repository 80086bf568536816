"""What must stand before the first process: the database, its tables, Redis, the broker's queues, the static files."""

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from core.errors import Conflict, Invalid
from core.text import one_line
from project.logging import without_secrets

REASON_LENGTH = 200


def reason(error: BaseException) -> str:
    """The first line of a library's refusal, fit for an operator."""
    return one_line(without_secrets((str(error).strip() or type(error).__name__).splitlines()[0]), REASON_LENGTH)


def check_database() -> None:
    """Raise Invalid when the database cannot be opened, Conflict when a newer hub wrote it."""
    try:
        connection.ensure_connection()
        loader = MigrationLoader(connection)
    except DatabaseError as error:
        if settings.DATABASE_URL:
            raise Invalid(f"The database does not answer ({reason(error)}); start it, or correct DATABASE_URL.") from None
        file = settings.DATABASES["default"]["NAME"]
        raise Invalid(f"The database file {file} cannot be used ({reason(error)}); restore it from a backup.") from None
    unknown = sorted(set(loader.applied_migrations) - set(loader.disk_migrations))
    newer = [f"{app} {name}" for app, name in unknown if app in loader.migrated_apps]
    if newer and not loader.replacements:
        raise Conflict(f"A newer version of the hub wrote this database ({newer[-1]}); update the hub, or restore a backup.")


def check_redis() -> None:
    """Raise Invalid when Redis is wanted and does not answer."""
    if not settings.REDIS_URL:
        return
    import redis

    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=5) as client:
            client.ping()
    except (redis.RedisError, OSError, ValueError) as error:
        raise Invalid(f"Redis does not answer ({reason(error)}); start it, or correct REDIS_URL.") from None


def migrate() -> int:
    """Bring the tables up to date; answers how many steps that took."""
    executor = MigrationExecutor(connection)
    steps = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if steps:
        call_command("migrate", interactive=False, verbosity=0)
    return steps


def declare_queues() -> None:
    """Make the broker's queues, so that the processes find them when they start together."""
    from project.celery import app

    with app.connection_for_write() as broker:
        for queue in app.amqp.queues.values():
            queue(broker.default_channel).declare()


def collect_static_files() -> None:
    """Copy what pages need into the data folder; what lies there already is left alone."""
    call_command("collectstatic", interactive=False, verbosity=0)
