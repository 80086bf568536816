"""Staff and the people of the hub."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Account, Connection, User
from audit.models import Entry
from chat.models import Message
from tests import make

NEW = {"email": "new@example.org", "password_once": make.PASSWORD, "may_run_commands": "on"}


def change(person: make.Person) -> str:
    return reverse("admin:accounts_user_change", args=[person.user.pk])


def test_staff_create_an_owner_with_an_account(as_staff: Client) -> None:
    as_staff.post(reverse("admin:accounts_user_add"), NEW)
    made = User.objects.get(email="new@example.org")
    assert made.check_password(make.PASSWORD) and made.may_run_commands and not made.is_staff
    entry = Entry.objects.get(deed="account.created", target_label="new@example.org")
    assert (entry.account_id, entry.door, entry.who) == (made.account.pk, "admin", "staff@example.org")


@pytest.mark.parametrize(
    "mistake", [{"password_once": "short"}, {"email": "nobody"}, {"email": "STAFF@example.org"}, {"email": ""}]
)
def test_a_mistaken_owner_is_not_created(mistake: dict[str, str], as_staff: Client) -> None:
    before = User.objects.count()
    answer = as_staff.post(reverse("admin:accounts_user_add"), {**NEW, **mistake}, follow=True)
    assert answer.status_code == 200
    assert (User.objects.count(), Account.objects.count()) == (before, before)


def test_a_switched_off_user_is_recorded_and_his_connections_hear_of_it(
    alice: make.Person, as_staff: Client, django_capture_on_commit_callbacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = make.connection(alice)
    heard: list[str] = []
    monkeypatch.setattr("core.news.couriers.publish", heard.extend)
    with django_capture_on_commit_callbacks(execute=True):
        as_staff.post(change(alice), {"may_run_commands": "on"})
    alice.user.refresh_from_db()
    assert not alice.user.is_active and alice.user.may_run_commands
    assert Entry.objects.get(deed="user.changed").details == {"is_active": False, "may_run_commands": True}
    assert f"connection:{connection.pk}" in heard


def test_staff_cannot_shut_themselves_out(staff: make.Person, as_staff: Client) -> None:
    answer = as_staff.post(change(staff), {"may_run_commands": "on"}, follow=True)
    staff.user.refresh_from_db()
    assert staff.user.is_active and staff.user.is_staff
    assert "ask another member of staff" in answer.content.decode()


def test_a_posted_e_mail_or_password_hash_is_ignored(alice: make.Person, as_staff: Client) -> None:
    hashed = alice.user.password
    as_staff.post(change(alice), {"is_active": "on", "email": "other@example.org", "password": "x", "is_superuser": "on"})
    alice.user.refresh_from_db()
    assert (alice.user.email, alice.user.password, alice.user.is_superuser) == ("alice@example.org", hashed, False)


def test_staff_set_a_password_that_is_never_shown(alice: make.Person, as_staff: Client) -> None:
    address = f"/admin/accounts/user/{alice.user.pk}/password/"
    assert alice.user.password not in as_staff.get(change(alice)).content.decode()
    assert as_staff.get(address).status_code == 200
    as_staff.post(address, {"password": "a better one, longer", "again": "a better one, longer"})
    alice.user.refresh_from_db()
    assert alice.user.check_password("a better one, longer")
    assert Entry.objects.get(deed="user.password_set").details == {}


@pytest.mark.parametrize(("password", "again"), [("short", "short"), ("a better one, longer", "another"), ("", "")])
def test_a_mistaken_password_is_not_set(password: str, again: str, alice: make.Person, as_staff: Client) -> None:
    answer = as_staff.post(f"/admin/accounts/user/{alice.user.pk}/password/", {"password": password, "again": again})
    alice.user.refresh_from_db()
    assert answer.status_code == 200 and alice.user.check_password(make.PASSWORD)


def test_an_account_is_deleted_with_all_it_holds_but_its_audit_log(
    alice: make.Person, bob: make.Person, as_staff: Client
) -> None:
    make.message(alice)
    make.message(bob)
    address = f"/admin/accounts/account/{alice.account.pk}/delete-account/"
    page = as_staff.get(address).content.decode()
    assert "alice@example.org" in page and "Delete this account" in page
    as_staff.post(address, {"email": "Alice@example.org "})
    assert not Account.objects.filter(pk=alice.account.pk).exists() and not User.objects.filter(pk=alice.user.pk).exists()
    assert list(Message.objects.values_list("account_id", flat=True)) == [bob.account.pk]
    assert set(Entry.objects.filter(account_id=alice.account.pk).values_list("deed", flat=True)) >= {
        "account.created",
        "account.deleted",
    }


@pytest.mark.parametrize("typed", ["", "bob@example.org", "alice"])
def test_an_account_is_not_deleted_without_its_owners_e_mail(typed: str, alice: make.Person, as_staff: Client) -> None:
    as_staff.post(f"/admin/accounts/account/{alice.account.pk}/delete-account/", {"email": typed})
    assert Account.objects.filter(pk=alice.account.pk).exists()


def test_staff_do_not_delete_the_account_they_are_signed_in_with(staff: make.Person, as_staff: Client) -> None:
    address = f"/admin/accounts/account/{staff.account.pk}/delete-account/"
    answer = as_staff.post(address, {"email": "staff@example.org"}, follow=True)
    assert "ask another member of staff" in answer.content.decode()
    assert Account.objects.filter(pk=staff.account.pk).exists()


def test_the_page_of_a_user_is_not_found_politely(as_staff: Client) -> None:
    for page in ("user/999/password/", "account/999/delete-account/", "user/999/change/"):
        assert "look it up in the list" in as_staff.get(f"/admin/accounts/{page}", follow=True).content.decode()


def test_deleting_staff_leaves_the_clients_they_registered(alice: make.Person, as_staff: Client) -> None:
    application = make.application("Registered by alice")
    type(application).objects.filter(pk=application.pk).update(user=alice.user)
    held = make.connection(alice)
    as_staff.post(f"/admin/accounts/account/{alice.account.pk}/delete-account/", {"email": "alice@example.org"})
    application.refresh_from_db()
    assert application.user_id is None
    assert not Connection.objects.filter(pk=held.pk).exists()
