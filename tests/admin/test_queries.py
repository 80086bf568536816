"""Lists stay cheap however many rows there are."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.actions import record
from chat.topics_owned.actions import open_topic
from core.paging import CappedPaginator
from tests import make

LISTS = [
    "accounts_connection",
    "chat_message",
    "audit_entry",
    "accounts_account",
    "accounts_user",
    "accounts_application",
    "chat_counter",
    "chat_chatsettings",
    "oauth2_provider_accesstoken",
    "oauth2_provider_refreshtoken",
    "accounts_launch",
    "chat_grant",
    "chat_topic",
    "chat_mention",
    "chat_wake",
]


def fill(count: int, start: int) -> None:
    for number in range(start, start + count):
        who = make.person(f"o{number}@example.org")
        make.token(who)
        make.granted(who, "lead", wake=True)
        make.message(who, "look @lead")
        open_topic(who.actor, name="docs")
        record(who.actor, "deed")


def queries(client: Client, address: str) -> list[str]:
    client.get(address)
    with CaptureQueriesContext(
        connection,
    ) as seen:
        client.get(address)
    return [query["sql"] for query in seen.captured_queries]


@pytest.mark.parametrize("model", LISTS)
def test_ten_times_the_rows_cost_no_more_queries(model: str, as_staff: Client) -> None:
    address = reverse(f"admin:{model}_changelist")
    fill(1, 0)
    few = queries(as_staff, address)
    fill(9, 1)
    assert len(queries(as_staff, address)) == len(few) <= 6


@pytest.mark.parametrize(("page", "most"), [("admin:index", 20), ("admin:settings", 8), ("admin:connections", 6)])
def test_a_page_takes_few_queries(page: str, most: int, alice: make.Person, as_alice: Client) -> None:
    for _ in range(5):
        make.connection(alice)
        make.message(alice)
    assert len(queries(as_alice, reverse(page))) <= most


@pytest.mark.parametrize("model", LISTS)
def test_no_list_counts_its_whole_table(model: str, as_staff: Client) -> None:
    counted = [sql for sql in queries(as_staff, reverse(f"admin:{model}_changelist")) if "COUNT(" in sql]
    assert counted
    assert all(f"LIMIT {CappedPaginator.cap}" in sql for sql in counted)


def test_past_the_cap_the_list_says_so(alice: make.Person, as_alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CappedPaginator, "cap", 2)
    for _ in range(3):
        make.message(alice)
    page = as_alice.get(reverse("admin:chat_message_changelist")).content.decode()
    assert "the newest 2; search for others" in page
