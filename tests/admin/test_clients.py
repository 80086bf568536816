"""OAuth clients, connections and tokens in the admin."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.hashers import check_password
from django.test import Client
from django.urls import reverse
from oauth2_provider.models import get_access_token_model, get_grant_model, get_refresh_token_model

from accounts.models import Application, Connection
from audit.models import Entry
from tests import make

ADD = reverse("admin:accounts_application_add")
CLIENT = {
    "name": "Build server",
    "redirect_uris": "https://build.example.org/back\nhttp://127.0.0.1/back",
    "client_type": "public",
}


def test_staff_register_a_public_client_without_a_secret(as_staff: Client) -> None:
    page = as_staff.post(ADD, CLIENT).content.decode()
    made = Application.objects.get(name="Build server")
    assert made.client_id in page and "secret" not in page.lower().split("<main", 1)[-1].split("client id", 1)[-1]
    assert made.redirect_uris.split() == ["https://build.example.org/back", "http://127.0.0.1/back"]
    assert Entry.objects.get(deed="client.registered").target == f"application:{made.pk}"


def test_a_confidential_clients_secret_is_shown_once_and_kept_as_a_hash(as_staff: Client) -> None:
    page = as_staff.post(ADD, {**CLIENT, "client_type": "confidential"}).content.decode()
    made = Application.objects.get(name="Build server")
    shown = [code for code in re.findall(r"<code[^>]*>([^<]+)</code>", page) if code != made.client_id]
    assert len(shown) == 1 and check_password(shown[0], made.client_secret)
    again = as_staff.get(reverse("admin:accounts_application_change", args=[made.pk])).content.decode()
    assert shown[0] not in again and made.client_secret not in again
    assert shown[0] not in str(list(Entry.objects.values()))


@pytest.mark.parametrize("uris", ["http://build.example.org/back", "", "nowhere", "javascript:alert(1)"])
def test_a_client_with_an_unsafe_address_is_not_registered(uris: str, as_staff: Client) -> None:
    assert as_staff.post(ADD, {**CLIENT, "redirect_uris": uris}, follow=True).status_code == 200
    assert not Application.objects.filter(name="Build server").exists()


def test_a_client_is_not_changed_by_hand(as_staff: Client) -> None:
    made = make.application("Self-made")
    answer = as_staff.post(reverse("admin:accounts_application_change", args=[made.pk]), {**CLIENT, "_save": "Save"})
    made.refresh_from_db()
    assert answer.status_code == 403 and made.name == "Self-made"


def test_an_owner_revokes_from_the_list_after_a_question(alice: make.Person, as_alice: Client) -> None:
    connection = make.connection(alice)
    form = {"action": "revoke", "_selected_action": connection.pk}
    asked = as_alice.post(reverse("admin:accounts_connection_changelist"), form).content.decode()
    connection.refresh_from_db()
    assert connection.is_active and "Revoke these connections?" in asked and connection.pk in asked
    as_alice.post(reverse("admin:accounts_connection_changelist"), {**form, "confirmed": "yes"})
    connection.refresh_from_db()
    assert not connection.is_active
    assert Entry.objects.get(deed="connection.revoked").door == "admin"


def test_ids_that_are_none_revoke_nothing(alice: make.Person, as_alice: Client) -> None:
    connection = make.connection(alice)
    for value in ("", "\x00", "9" * 400, "' or 1=1"):
        form = {"action": "revoke", "confirmed": "yes", "_selected_action": value}
        assert as_alice.post(reverse("admin:accounts_connection_changelist"), form).status_code == 302
    connection.refresh_from_db()
    assert connection.is_active


def test_a_clients_name_is_cut_and_escaped(alice: make.Person, as_alice: Client) -> None:
    connection = make.connection(alice, name="<script>alert(1)</script>" + "x" * 200)
    for address in (
        reverse("admin:accounts_connection_changelist"),
        reverse("admin:accounts_connection_change", args=[connection.pk]),
    ):
        page = as_alice.get(address).content.decode()
        assert "<script>alert(1)" not in page and "&lt;script&gt;alert(1)" in page


def test_no_page_of_staff_holds_a_stored_token(alice: make.Person, as_staff: Client) -> None:
    raw = make.token(alice)
    access, refresh = get_access_token_model().objects.get(), get_refresh_token_model().objects.get()
    secrets = {raw, access.token_checksum, refresh.token_checksum, access.token, refresh.token} - {"", None}
    for model in (get_access_token_model(), get_refresh_token_model(), get_grant_model()):
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        for answer in (
            as_staff.get(reverse(f"admin:{name}_changelist")),
            as_staff.get(reverse(f"admin:{name}_change", args=[1]), follow=True),
            as_staff.get(reverse(f"admin:{name}_history", args=[1]), follow=True),
        ):
            assert not [secret for secret in secrets if secret in answer.content.decode()]


def test_a_token_has_no_page_of_its_own(alice: make.Person, as_staff: Client) -> None:
    make.token(alice)
    pk = get_access_token_model().objects.get().pk
    answer = as_staff.get(reverse("admin:oauth2_provider_accesstoken_change", args=[pk]))
    assert answer.headers["Location"] == reverse("admin:oauth2_provider_accesstoken_changelist")


@pytest.mark.parametrize("lookup", ["token__startswith=a", "token_checksum__startswith=0", "user__password__startswith=m"])
def test_a_secret_cannot_be_guessed_letter_by_letter_in_the_address(lookup: str, alice: make.Person, as_staff: Client) -> None:
    make.token(alice)
    assert as_staff.get(f"{reverse('admin:oauth2_provider_accesstoken_changelist')}?{lookup}").status_code == 400


def test_the_same_holds_for_people_and_clients(as_staff: Client) -> None:
    for address in ("accounts/user/?password__startswith=a", "accounts/application/?client_secret__startswith=a"):
        assert as_staff.get(f"/admin/{address}").status_code == 400


def test_the_library_s_own_admins_are_not_taken() -> None:
    taken = {type(held).__module__.split(".")[0] for held in admin.site._registry.values()}
    assert taken == {"accounts", "audit", "chat", "project", "sessions_app", "triggers"}


def test_a_connection_s_history_is_its_audit_log(alice: make.Person, as_alice: Client) -> None:
    connection = make.connection(alice)
    as_alice.post(reverse("admin:connection-revoke", args=[connection.pk]))
    page = as_alice.get(reverse("admin:accounts_connection_history", args=[connection.pk]), follow=True).content.decode()
    assert "connection.revoked" in page and "account.created" not in page
    assert Connection.objects.get(pk=connection.pk).revoked_at
