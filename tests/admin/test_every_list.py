"""Rules that hold for every list of the admin site."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from core.admin import OwnedAdmin
from tests import make

HIDDEN = {
    "admin.LogEntry": "the audit log is the only history",
    "auth.Group": "rights are functions in permissions.py; groups are not used",
    "auth.Permission": "rights are functions in permissions.py",
    "contenttypes.ContentType": "a table of Django's own bookkeeping",
    "django_celery_beat.PeriodicTasks": "one row that tells beat to look again",
    "sessions.Session": "a session's key is a secret",
}
SECRET_WORDS = ("password", "secret", "token", "checksum", "code", "jti", "hash", "session_key")
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)


def label(model: type[Model]) -> str:
    return model._meta.label


def url(model: type[Model], page: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def test_every_installed_model_is_listed_or_hidden_for_a_reason() -> None:
    listed = {label(model) for model in MODELS}
    installed = {label(model) for model in apps.get_models()}
    assert installed - listed == set(HIDDEN)


@pytest.mark.parametrize("model", MODELS, ids=label)
def test_every_list_asks_our_rights_and_writes_through_actions(model: type[Model]) -> None:
    held = admin.site._registry[model]
    assert isinstance(held, OwnedAdmin)
    assert not held.list_editable
    assert not held.inlines
    assert not held.show_full_result_count


@pytest.mark.parametrize("model", MODELS, ids=label)
def test_no_list_search_or_page_names_a_secret_column(model: type[Model]) -> None:
    held = admin.site._registry[model]
    shown = [*held.list_display, *held.search_fields, *(held.fields or ()), *held.readonly_fields, *held.list_filter]
    names = [name if isinstance(name, str) else str(name) for name in shown]
    assert not [name for name in names if any(word in name.lower() for word in SECRET_WORDS)]


@pytest.mark.parametrize("model", MODELS, ids=label)
def test_staff_open_every_list_with_and_without_a_search(model: type[Model], as_staff: Client) -> None:
    held = admin.site._registry[model]
    assert as_staff.get(url(model, "changelist")).status_code == 200
    if held.search_fields:
        assert as_staff.get(url(model, "changelist"), {"q": "x"}).status_code == 200


@pytest.mark.parametrize("model", MODELS, ids=label)
@pytest.mark.parametrize("page", ["add", "delete", "change", "history", "changelist"])
def test_nobody_reaches_a_page_without_signing_in(model: type[Model], page: str, client: Client, db: None) -> None:
    address = url(model, page, *([1] if page in {"delete", "change", "history"} else []))
    for answer in (client.get(address), client.post(address)):
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(reverse("sign-in"))


def test_nothing_is_deleted_by_hand_not_even_by_staff(alice: make.Person, as_staff: Client) -> None:
    make.token(alice)
    make.message(alice)
    filled = [model for model in MODELS if model._default_manager.exists()]
    assert {"accounts.User", "accounts.Account", "accounts.Connection", "chat.Message", "audit.Entry"} <= set(map(label, filled))
    for model in filled:
        before, pk = model._default_manager.count(), model._default_manager.values_list("pk", flat=True)[0]
        assert as_staff.post(url(model, "delete", pk), {"post": "yes"}).status_code in {302, 403}
        as_staff.post(url(model, "changelist"), {"action": "delete_selected", "_selected_action": pk, "post": "yes"})
        assert model._default_manager.count() == before, label(model)
