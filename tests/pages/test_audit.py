"""The owner's page of the audit log: what it shows, filters, tells live and gives away as a file."""

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from audit import pages
from audit.actions import record
from audit.models import Entry
from core.actor import system
from tests import make
from tests.asgi import run

PAGE, NEWS, EXPORT = reverse("admin:audit"), reverse("admin:audit-news"), reverse("admin:audit-export")


def page(client: Client, **query: Any) -> str:
    answer = client.get(PAGE, query)
    assert answer.status_code == 200
    return str(answer.content.decode()).split("<main")[1]


def deeds(client: Client, **query: Any) -> list[str]:
    rows = page(client, **query).split("<tbody>")
    return [cell.split(">")[1].split("<")[0] for cell in rows[-1].split("hub-log-deed")[1:] for cell in [cell.split("<code")[1]]]


def download(client: Client, **query: Any) -> tuple[Any, str]:
    answer = client.get(EXPORT, query)

    async def read() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])  # type: ignore[attr-defined]

    return answer, run(read()).decode()


@pytest.fixture
def told(alice: make.Person, bob: make.Person) -> make.Person:
    """Deeds of alice's account by herself, by an agent and by the hub; one of bob's."""
    record(alice.actor, "chat.settings_changed", target="account:1", allowed=False)
    record(make.agent(alice), "ticket.issued", target="ticket:1", label="worker")
    record(system(account_id=alice.account.pk), "chat.pruned", messages=7)
    record(bob.actor, "bobs.deed", label="his own")
    return alice


def test_it_shows_who_did_what_by_which_door_newest_first(told: make.Person, as_alice: Client) -> None:
    shown = page(as_alice)
    assert deeds(as_alice) == ["chat.pruned", "ticket.issued", "chat.settings_changed", "account.created"]
    for text in ("the hub", "client Test client", "alice@example.org", "worker", "allowed: false", "messages: 7"):
        assert text in shown
    agent = Entry.objects.get(deed="ticket.issued")
    assert f"{reverse('admin:connections')}#{agent.connection_id}" in shown


@pytest.mark.parametrize("who", ["charlie", "staff"])
def test_nobody_sees_another_account_s_here(who: str, told: make.Person, as_charlie: Client, as_staff: Client) -> None:
    client = as_charlie if who == "charlie" else as_staff
    assert deeds(client) == ["account.created"] and "alice" not in page(client)
    assert "alice" not in download(client, **{"as": "jsonl"})[1]
    assert "1 new entry: show it" in client.get(NEWS, {"after": 0}).content.decode()


def test_staff_without_an_account_are_sent_to_the_whole_log(client: Client, db: None) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", make.PASSWORD))
    for address in (PAGE, NEWS):
        assert "staff find every entry under This hub" in client.get(address, follow=True).content.decode()


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ({"door": "mcp"}, ["ticket.issued"]),
        ({"door": "page"}, ["chat.settings_changed"]),
        ({"deed": "chat."}, ["chat.pruned", "chat.settings_changed"]),
        ({"who": "ALICE"}, ["chat.settings_changed"]),
        ({"who": "client", "deed": "ticket.issued"}, ["ticket.issued"]),
        ({"deed": "bobs.deed"}, []),
        ({"since": "2999-01-01"}, []),
        ({"until": "2000-01-01"}, []),
    ],
)
def test_it_is_filtered_by_door_deed_who_and_days(
    query: dict[str, str], left: list[str], told: make.Person, as_alice: Client
) -> None:
    assert deeds(as_alice, **query) == left
    exported = [json.loads(line)["deed"] for line in download(as_alice, **query, **{"as": "jsonl"})[1].splitlines()]
    assert exported == left[::-1]


def test_days_are_whole_and_both_ends_belong_to_them(told: make.Person, as_alice: Client) -> None:
    today = timezone.localdate()
    assert len(deeds(as_alice, since=today, until=today)) == 4
    assert deeds(as_alice, until=today - timedelta(days=1)) == deeds(as_alice, since=today + timedelta(days=1)) == []


@pytest.mark.parametrize(
    "query",
    [
        {"door": "window"},
        {"deed": "x" * 65},
        {"who": "x" * 255},
        {"since": "yesterday"},
        {"since": "0001-01-01"},
        {"until": "9999-12-31"},
        {"since": "2026-02-02", "until": "2026-02-01"},
    ],
)
def test_a_filter_that_is_none_shows_what_is_wrong_and_no_entry(
    query: dict[str, str], told: make.Person, as_alice: Client
) -> None:
    shown = page(as_alice, **query)
    assert 'class="errors' in shown and "hub-log-deed" not in shown
    assert as_alice.get(NEWS, query).content.strip() == b""
    refused = as_alice.get(EXPORT, {**query, "as": "csv"}, follow=True)
    assert "This export is not understood" in refused.content.decode()


def test_older_entries_come_in_pages_that_keep_the_filter(alice: make.Person, as_alice: Client) -> None:
    for number in range(pages.PER_PAGE + 2):
        record(alice.actor, "deed", target=f"n:{number}")
    first = page(as_alice, deed="deed")
    last = Entry.objects.filter(deed="deed").order_by("-id")[pages.PER_PAGE - 1].pk
    assert f"?deed=deed&amp;before={last}" in first and "To the newest" not in first
    assert deeds(as_alice, deed="deed", before=last) == ["deed"] * 2
    assert "To the newest" in page(as_alice, deed="deed", before=last) and 'data-live="audit"' not in page(as_alice, before=last)


@pytest.mark.parametrize("before", ["", "x", "-1", "1" * 19, "٣"])
def test_a_place_that_is_none_is_the_newest(before: str, told: make.Person, as_alice: Client) -> None:
    assert len(deeds(as_alice, before=before)) == 4


def test_new_entries_are_told_of_without_moving_the_page(told: make.Person, as_alice: Client) -> None:
    newest = Entry.objects.filter(account_id=told.account.pk).latest("id").pk
    assert f"?after={newest}" in page(as_alice)
    assert as_alice.get(NEWS, {"after": newest}).content.strip() == b""
    record(told.actor, "deed")
    assert "1 new entry: show it" in as_alice.get(NEWS, {"after": newest}).content.decode()
    assert as_alice.get(NEWS, {"after": newest, "door": "mcp"}).content.strip() == b""
    for _ in range(pages.NEWS_MOST):
        record(told.actor, "deed")
    assert "More than 100 new entries" in as_alice.get(NEWS, {"after": newest}).content.decode()


def test_csv_has_a_header_and_no_formula(alice: make.Person, as_alice: Client) -> None:
    record(make.agent(alice), "deed", label='=HYPERLINK("x")', reason="@SUM(1)")
    answer, text = download(as_alice, **{"as": "csv"})
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["deed"] for row in rows] == ["account.created", "deed"] and rows[1]["target_label"] == '\'=HYPERLINK("x")'
    assert answer["Content-Type"] == "text/csv; charset=utf-8" and answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"] == f'attachment; filename="tertulia-audit-{timezone.localdate():%Y-%m-%d}.csv"'


def test_a_long_export_comes_in_pieces_once_each_and_ends_at_the_most(
    alice: make.Person, as_alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "EXPORT_CHUNK", 2)
    for number in range(6):
        record(alice.actor, "deed", target=f"n:{number}")
    rows = list(csv.DictReader(io.StringIO(download(as_alice, **{"as": "csv"})[1])))
    assert [row["target"] for row in rows][1:] == [f"n:{number}" for number in range(6)]
    monkeypatch.setattr(pages, "EXPORT_MOST", 4)
    assert len(download(as_alice, **{"as": "jsonl"})[1].splitlines()) == 4


def test_hostile_text_is_cut_escaped_and_turns_nothing_around(alice: make.Person, as_alice: Client) -> None:
    record(alice.actor, "deed", label="<b>x</b>\u202e" + "y" * 300, reason="<i>\u2066" + "z" * 300)
    shown = page(as_alice)
    assert "<b>x" not in shown and "<i>" not in shown and "\u202e" not in shown and "\u2066" not in shown
    assert "y" * 100 not in shown and "z" * 200 not in shown


def test_it_is_only_read_and_only_by_who_is_signed_in(as_alice: Client) -> None:
    for address in (PAGE, NEWS, EXPORT):
        assert as_alice.post(address).status_code == 405
        assert Client().get(address)["Location"].startswith(reverse("sign-in"))
