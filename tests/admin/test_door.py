"""The admin site as a door: who enters, what a write is wrapped in, and what the browser may load."""

import re

import pytest
from django.conf import settings
from django.contrib import admin
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.models import User
from audit.models import Entry
from core.errors import Conflict
from tests import make
from tests.admin.conftest import signed_in

NEW_PASSWORD = "a better one, longer"
PASSWORD_FORM = {"old": make.PASSWORD, "password": NEW_PASSWORD, "again": NEW_PASSWORD}


def test_an_owner_enters_and_reads_how_to_connect_a_client(as_alice: Client) -> None:
    page = as_alice.get(reverse("admin:index")).content.decode()
    shown = re.sub(r"<[^>]+>", "", page)
    assert f"claude mcp add --transport http tertulia {settings.TERTULIA_RESOURCE}" in shown
    assert f"codex mcp add tertulia --url {settings.TERTULIA_RESOURCE}" in shown
    assert reverse("admin:settings") in page and reverse("admin:connections") in page


def test_an_owner_is_shown_no_list_of_staff(as_alice: Client, as_staff: Client) -> None:
    users = reverse("admin:accounts_user_changelist")
    assert users not in as_alice.get(reverse("admin:index")).content.decode()
    assert users in as_staff.get(reverse("admin:index")).content.decode()


@pytest.mark.parametrize(
    "path",
    ["", "settings/", "connections/", "connections/c-1/revoke/", "password_change/", "search/?s=a", "autocomplete/", "nowhere/"],
)
def test_the_anonymous_are_sent_to_the_sign_in_page_and_back(path: str, client: Client, db: None) -> None:
    answer = client.get(f"/admin/{path}")
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(f"{reverse('sign-in')}?next=/admin/{path.partition('?')[0]}")


def test_a_user_who_is_switched_off_is_out_at_his_next_click(alice: make.Person, as_alice: Client) -> None:
    User.objects.filter(pk=alice.user.pk).update(is_active=False)
    assert as_alice.get(reverse("admin:index")).headers["Location"].startswith(reverse("sign-in"))


def test_the_admins_own_login_leads_to_the_hubs_sign_in_page(client: Client) -> None:
    for answer in (client.get(reverse("admin:login")), client.post(reverse("admin:login"), {"username": "x", "password": "y"})):
        assert answer.headers["Location"].startswith(reverse("sign-in"))


def test_a_post_without_its_csrf_token_is_refused(alice: make.Person) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    assert strict.post(reverse("admin:settings"), {"keep_thread_openers": "on"}).status_code == 403
    alice.account.chat_settings.refresh_from_db()
    assert alice.account.chat_settings.allowed and not alice.account.chat_settings.keep_thread_openers


def test_only_the_admins_pages_may_run_inline_scripts(as_alice: Client, client: Client) -> None:
    inside = as_alice.get(reverse("admin:chat_message_changelist")).headers["Content-Security-Policy"]
    outside = client.get(reverse("sign-in")).headers["Content-Security-Policy"]
    assert "'unsafe-eval'" in inside and "frame-ancestors 'none'" in inside
    assert "unsafe" not in outside


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("method", "inside"), [("GET", False), ("POST", True)])
def test_a_write_runs_in_one_transaction_and_a_read_in_none(method: str, inside: bool) -> None:
    seen = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(connection.in_atomic_block)
        return HttpResponse()

    request = RequestFactory().generic(method, "/admin/")
    request.user = make.person("ana@example.org").user
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
    admin.site.admin_view(view)(request)
    assert seen == [inside]


@pytest.mark.django_db(transaction=True)
def test_a_refusal_undoes_the_write_and_shows_its_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    who = make.person("ana@example.org")

    def refuse(request: HttpRequest) -> HttpResponse:
        User.objects.filter(pk=who.user.pk).update(may_run_commands=True)
        raise Conflict("Somebody was there first.")

    monkeypatch.setattr("chat.pages.settings_page", refuse)
    answer = admin_post("settings/", signed_in(who))
    who.user.refresh_from_db()
    assert not who.user.may_run_commands
    assert "Somebody was there first." in answer


def admin_post(path: str, client: Client) -> str:
    """POST through a fresh site, whose addresses are made anew; the messages the person is shown."""
    from project.admin_site import HubAdminSite

    view = {pattern.name: pattern.callback for pattern in HubAdminSite().extra_urls()}[path.strip("/")]
    request = client.get(reverse("admin:index")).wsgi_request
    request.method = "POST"
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
    view(request)
    return " ".join(str(message) for message in request._messages)  # type: ignore[attr-defined]


def test_a_changed_password_is_recorded_and_keeps_the_person_signed_in(alice: make.Person, as_alice: Client) -> None:
    answer = as_alice.post(reverse("admin:password_change"), PASSWORD_FORM)
    alice.user.refresh_from_db()
    assert answer.headers["Location"] == reverse("admin:index")
    assert alice.user.check_password(NEW_PASSWORD)
    assert Entry.objects.get(deed="user.password_set").user_id == alice.user.pk
    assert as_alice.get(reverse("admin:index")).status_code == 200


@pytest.mark.parametrize(
    "mistake", [{"old": "wrong"}, {"again": "another"}, {"password": "short", "again": "short"}, {"old": ""}]
)
def test_a_mistaken_password_form_changes_nothing(mistake: dict[str, str], alice: make.Person, as_alice: Client) -> None:
    assert as_alice.post(reverse("admin:password_change"), {**PASSWORD_FORM, **mistake}).status_code == 200
    alice.user.refresh_from_db()
    assert alice.user.check_password(make.PASSWORD)


def test_guessing_the_old_password_is_limited(alice: make.Person, as_alice: Client) -> None:
    for _ in range(10):
        as_alice.post(reverse("admin:password_change"), {**PASSWORD_FORM, "old": "wrong"})
    page = as_alice.post(reverse("admin:password_change"), PASSWORD_FORM).content.decode()
    alice.user.refresh_from_db()
    assert "Too many tries" in page and alice.user.check_password(make.PASSWORD)


def test_the_bare_address_leads_home(as_alice: Client) -> None:
    assert as_alice.get("/").headers["Location"] == reverse("admin:index")


def test_signing_out_is_a_post_and_ends_at_the_sign_in_page(as_alice: Client) -> None:
    assert as_alice.get(reverse("admin:logout")).status_code == 405
    assert as_alice.post(reverse("admin:logout")).headers["Location"] == reverse("sign-in")
    assert as_alice.get(reverse("admin:index")).status_code == 302


@pytest.mark.parametrize(
    "address",
    [
        "search/?s=a&page=x",
        "search/?s=a%00",
        "chat/message/%00/change/",
        "chat/message/?q=%00",
        "audit/entry/?target=%00",
        "accounts/connection/?o=x",
        "chat/message/?p=x",
        "chat/message/?p=99999999999999999999",
        "chat/message/?o=9.-9",
        "chat/message/x/change/",
        "chat/message/99999999999999999999999/change/",
        "accounts/connection/c-%C3%A9/change/",
        "audit/entry/?at_from=x&at_to=2026-99-99",
        "audit/entry/?door=none",
        "audit/entry/?account_id=x",
        "audit/entry/?account_id=99999999999999999999999",
        "audit/entry/?_to_field=details",
        "chat/message/?account__owner__password=x",
        "autocomplete/",
        "autocomplete/?app_label=x&model_name=y&field_name=z",
        "connections/?page=x",
        "connections/%00/revoke/",
    ],
)
def test_a_malformed_address_never_breaks_a_page(address: str, as_staff: Client, as_alice: Client) -> None:
    for who in (as_staff, as_alice):
        assert who.get(f"/admin/{address}").status_code in {200, 302, 400, 403, 404}
