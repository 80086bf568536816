"""Emptying the database after a test that commits: quicker than `flush`, which makes every permission anew each time."""

from functools import cache
from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.color import no_style
from django.db import connection
from django.test import TransactionTestCase


def empty_quickly() -> None:
    """Let tests that commit leave every table empty but those that migrating fills."""
    setattr(TransactionTestCase, "_fixture_teardown", _emptied)  # noqa: B010 - its stubs do not know it


def _emptied(test: Any) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # many tables, few rows: each TRUNCATE costs a file, a DELETE next to nothing
            cursor.execute("SET session_replication_role = replica")  # in whatever order
            cursor.execute("; ".join(f"DELETE FROM {connection.ops.quote_name(each)}" for each in _tables()))
            cursor.execute("SET session_replication_role = DEFAULT")
        return
    connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), list(_tables())))


@cache
def _tables() -> tuple[str, ...]:
    kept = {ContentType._meta.db_table, Permission._meta.db_table}
    found = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return tuple(sorted(set(found) - kept))
