"""The lists of sessions: read-only, secrets masked, shut to others, cheap."""

import pytest
from django.contrib import admin
from django.contrib.messages import get_messages
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core.paging import CappedPaginator
from tests import make
from tests.session_admin.conftest import KEY, SEALED, UNKNOWN, WORDS, Hers, rows_of

ALL = (
    "session",
    "run",
    "chain",
    "exchange",
    "spawn",
    "announcement",
    "toolapproval",
    "agent",
    "modelprovider",
    "route",
    "schedule",
    "sessionsettings",
    "entry",
)
QUERIES = 8
FORM = {"key": "changed", "slug": "changed", "state": "ok", "message": "changed", "visibility": "all", "_save": "Save"}


def address(model: str, page: str = "changelist", *args: object) -> str:
    return reverse(f"admin:sessions_app_{model}_{page}", args=args)


def told(answer: HttpResponse) -> tuple[int, str, list[str]]:
    """Status, address and what is said."""
    said = [str(message) for message in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]
    return answer.status_code, answer.headers.get("Location", ""), said[-1:]


def seen(client: Client, at: str) -> list[str]:
    client.get(at)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(at).status_code == 200
    return [query["sql"] for query in captured.captured_queries]


def assert_harmless(page: str) -> None:
    """Text of agents is escaped and cannot turn the page round, and no secret stands in it."""
    assert KEY not in page and SEALED not in page
    assert f"<script>alert('{WORDS}')" not in page and "\u202e" not in page


def assert_read(model: str, hers: Hers, reader: Client) -> None:
    """Her list and her row are there for the reader, without a secret in them."""
    for at in (address(model), address(model, "change", hers.rows[model].pk)):
        answer = reader.get(at)
        assert answer.status_code == 200
        assert_harmless(answer.content.decode())


def test_every_table_of_sessions_is_listed(hers: Hers) -> None:
    listed = {model._meta.model_name for model in admin.site._registry if model._meta.app_label == "sessions_app"}
    assert listed == set(ALL) == set(hers.rows)


@pytest.mark.parametrize("model", ALL)
def test_an_owner_reads_his_list_and_row_without_a_secret_in_it(model: str, hers: Hers, as_alice: Client) -> None:
    assert_read(model, hers, as_alice)


@pytest.mark.parametrize("model", ALL)
def test_staff_read_every_list_and_row_without_a_secret_in_it(model: str, hers: Hers, as_staff: Client) -> None:
    assert_read(model, hers, as_staff)


@pytest.mark.parametrize("model", ["run", "exchange", "spawn", "announcement", "toolapproval", "agent", "schedule"])
def test_text_of_agents_is_shown_escaped(model: str, hers: Hers, as_alice: Client) -> None:
    page = as_alice.get(address(model, "change", hers.rows[model].pk)).content.decode()
    assert "&lt;script&gt;alert(" in page and WORDS in page and "{{ 7*7 }}" in page


@pytest.mark.parametrize("model", ALL)
def test_nothing_is_added_or_changed_by_hand_even_by_staff(model: str, hers: Hers, as_staff: Client) -> None:
    row = hers.rows[model]
    before = type(row)._default_manager.filter(pk=row.pk).values().get()
    count = type(row)._default_manager.count()
    for at in (address(model, "add"), address(model, "change", row.pk), address(model, "delete", row.pk)):
        assert as_staff.post(at, FORM).status_code in {302, 403}
    assert type(row)._default_manager.filter(pk=row.pk).values().get() == before
    assert type(row)._default_manager.count() == count


@pytest.mark.parametrize("model", ALL)
def test_charlie_finds_nothing_of_hers(model: str, hers: Hers, as_charlie: Client) -> None:
    for query in ({}, {"q": "main"}, {"q": WORDS}, {"all": ""}):
        answer = as_charlie.get(address(model), query)
        assert answer.status_code == 200
        page = answer.content.decode().replace(f'value="{WORDS}"', "").replace(f"q={WORDS}", "")
        assert WORDS not in page and "alice" not in page


@pytest.mark.parametrize("page", ["change", "history", "delete"])
@pytest.mark.parametrize("model", ALL)
def test_a_foreign_row_answers_charlie_as_an_unknown_one(model: str, page: str, hers: Hers, as_charlie: Client) -> None:
    row = hers.rows[model]
    before = type(row)._default_manager.filter(pk=row.pk).values().get()
    for method in ("get", "post"):
        foreign, strange = (getattr(as_charlie, method)(address(model, page, pk)) for pk in (row.pk, UNKNOWN))
        assert told(foreign) == told(strange)
        assert foreign.status_code in {302, 403}
        assert WORDS not in foreign.content.decode()
    assert type(row)._default_manager.filter(pk=row.pk).values().get() == before


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        ("modelprovider", "key_encrypted__contains=a"),
        ("route", "address_encrypted__contains=a"),
        ("run", "credential__startswith=a"),
        ("run", "lease__startswith=a"),
        ("agent", "argv__contains=sk"),
        ("modelprovider", "base_url__contains=a"),
        ("session", "account__owner__email=alice@example.org"),
    ],
)
def test_an_address_spells_out_no_column_that_is_not_offered(
    model: str, lookup: str, hers: Hers, as_alice: Client, as_staff: Client
) -> None:
    for client in (as_alice, as_staff):
        assert client.get(f"{address(model)}?{lookup}").status_code == 400


@pytest.mark.parametrize("odd", ["0", "-1", "x", "9" * 30, "_00", "1_2F"])
def test_an_odd_id_answers_like_an_unknown_one(odd: str, hers: Hers, as_charlie: Client) -> None:
    assert as_charlie.get(address("session", "change", odd)).status_code == 302


@pytest.mark.parametrize("model", ALL)
def test_ten_times_the_rows_cost_no_more_queries(model: str, as_staff: Client) -> None:
    rows_of(make.person("o0@example.org"))
    few = seen(as_staff, address(model))
    for number in range(1, 10):
        rows_of(make.person(f"o{number}@example.org"))
    many = seen(as_staff, address(model))
    assert len(many) == len(few) <= QUERIES
    counted = [sql for sql in many if "COUNT(" in sql]
    assert counted and all(f"LIMIT {CappedPaginator.cap}" in sql for sql in counted)
