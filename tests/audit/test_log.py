"""The audit log: the database refuses changes, and the admin shows each his own."""

from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from audit.actions import record
from audit.models import AppendOnly, Entry
from core.actor import system
from tests import make
from tests.admin.conftest import as_alice, as_staff
from tests.clock import Clock

__all__ = ["as_alice", "as_staff"]
LIST = reverse("admin:audit_entry_changelist")


@pytest.fixture
def entry(db: None) -> Entry:
    return record(system(), "something.done")


def sql(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_database_itself_refuses_to_change_an_entry(entry: Entry) -> None:
    with pytest.raises(IntegrityError, match="never changed"):
        sql("UPDATE audit_entry SET who = 'somebody else'")
    entry.refresh_from_db()
    assert entry.who == "the hub"


def test_an_update_past_the_manager_is_refused_too(entry: Entry) -> None:
    from django.db.models import QuerySet

    with pytest.raises(IntegrityError), transaction.atomic():
        QuerySet(Entry).update(deed="nothing.done")


@pytest.mark.parametrize(
    "change",
    [Entry.objects.update, Entry.objects.all().delete, lambda: Entry.objects.get().delete(), lambda: Entry.objects.get().save()],
)
def test_the_model_refuses_changes_and_deletion(change: Callable[[], object], entry: Entry) -> None:
    with pytest.raises(AppendOnly):
        change()


@pytest.mark.django_db(transaction=True)
def test_the_migration_is_reversible() -> None:
    migration = import_module("audit.migrations.0002_never_changed")
    record(system(), "something.done")
    with connection.schema_editor() as editor:
        migration.permit(None, editor)
    sql("UPDATE audit_entry SET who = 'somebody else'")
    with connection.schema_editor() as editor:
        migration.forbid(None, editor)
    with pytest.raises(IntegrityError):
        sql("UPDATE audit_entry SET who = 'a third'")


def test_an_owner_reads_his_entries_and_staff_all(
    alice: make.Person, bob: make.Person, as_alice: Client, as_staff: Client
) -> None:
    record(alice.actor, "alices.deed")
    record(bob.actor, "bobs.deed")
    hers, all_ = as_alice.get(LIST).content.decode(), as_staff.get(LIST).content.decode()
    assert "alices.deed" in hers and "bobs.deed" not in hers
    assert "alices.deed" in all_ and "bobs.deed" in all_


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"door": "task"}, {"night.deed"}),
        ({"deed__icontains": "DAY"}, {"day.deed"}),
        ({"at_from": "2026-03-02"}, {"day.deed"}),
        ({"at_to": "2026-03-01"}, {"night.deed"}),
        ({"at_from": "2026-03-01", "at_to": "2026-03-02"}, {"night.deed", "day.deed"}),
        ({"at_from": "no day"}, {"night.deed", "day.deed"}),
        ({"target": "thing:1"}, {"day.deed"}),
        ({"q": "thing:1"}, {"day.deed"}),
        ({"q": "nothing"}, set()),
    ],
)
def test_it_is_filtered_by_door_deed_day_and_target(
    query: dict[str, str], shown: set[str], alice: make.Person, as_alice: Client, clock: Clock
) -> None:
    clock.moment = datetime(2026, 3, 1, 23, 59, 59, tzinfo=UTC)
    record(system(account_id=alice.account.pk), "night.deed")
    clock.moment = datetime(2026, 3, 2, tzinfo=UTC)
    record(alice.actor, "day.deed", target="thing:1")
    page = as_alice.get(LIST, query).content.decode().split('id="changelist-form"')[1]
    assert {deed for deed in ("night.deed", "day.deed") if deed in page} == shown


def test_an_entry_is_read_whole_and_not_written(alice: make.Person, as_alice: Client, as_staff: Client) -> None:
    entry = record(alice.actor, "alices.deed", label="<b>x</b>", scopes="chat.read")
    address = reverse("admin:audit_entry_change", args=[entry.pk])
    page = as_alice.get(address).content.decode()
    assert "&lt;b&gt;x&lt;/b&gt;" in page and "chat.read" in page
    for client in (as_alice, as_staff):
        assert client.post(address, {"who": "nobody", "_save": "Save"}).status_code == 403
