"""The section Sessions of the settings page, and the action behind it."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import Entry
from core.actor import Door
from core.errors import DomainError, Forbidden, NotFound
from sessions_app.models import SessionSettings
from sessions_app.owning.actions import set_send_policy, update_settings
from sessions_app.owning.pages_settings import SessionSettingsForm
from tests import make

PAGE, SETTINGS = reverse("admin:session-settings"), reverse("admin:settings")
RULES = {"default": "deny", "rules": [{"action": "allow", "match": {"channel": "telegram", "keyPrefix": "cron:"}}]}


def form(**more: Any) -> dict[str, Any]:
    kept = SessionSettings(default_agent="main")
    given = {name: getattr(kept, name) for name in SessionSettingsForm.base_fields}
    given |= {name: "\n".join(value) for name, value in given.items() if isinstance(value, list)}
    return {**given, "agent_to_agent": "on", "send_policy": "", **more}


def kept_of(who: make.Person) -> SessionSettings:
    return SessionSettings.objects.get(account=who.account)


def test_the_settings_page_shows_the_section_and_its_form_saves(alice: make.Person, as_alice: Client) -> None:
    assert 'id="session-settings"' in as_alice.get(SETTINGS).content.decode()
    given = {"visibility": "tree", "turns": 2, "chain_budget": 7, "agent_to_agent_allow": "ops-*\n main \n\n"}
    answer = as_alice.post(PAGE, form(**given, send_policy=json.dumps(RULES), agent_to_agent=""))
    assert answer.headers["Location"] == f"{SETTINGS}#session-settings"
    kept = kept_of(alice)
    assert (kept.visibility, kept.turns, kept.chain_budget, kept.agent_to_agent) == ("tree", 2, 7, False)
    assert kept.agent_to_agent_allow == ["ops-*", "main"] and kept.send_policy == RULES
    entry = Entry.objects.get(deed="sessions.settings_changed")
    assert entry.door == Door.PAGE and entry.details["turns"] == 2 and "offer_minutes" not in entry.details
    assert "Settings saved." in as_alice.get(SETTINGS).content.decode()


def test_saving_what_is_there_already_changes_and_records_nothing(alice: make.Person, as_alice: Client) -> None:
    as_alice.post(PAGE, form())
    assert not Entry.objects.filter(deed="sessions.settings_changed").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("visibility", "everything"),
        ("sandbox_visibility", ""),
        ("scope", "x"),
        ("turns", 6),
        ("turns", -1),
        ("turns", ""),
        ("chain_budget", 0),
        ("chain_budget", 10**12),
        ("offer_minutes", "x"),
        ("subagent_depth", 6),
        ("subagent_children", 101),
        ("subagent_concurrent", 0),
        ("subagent_timeout_seconds", 86_401),
        ("subagent_archive_minutes", 10**9),
        ("default_agent", "nobody"),
        ("default_agent", "../x"),
        ("agent_to_agent_allow", "x" * 129),
        ("agent_to_agent_allow", "\n".join(f"a{number}" for number in range(201))),
        ("subagent_model", "m" * 129),
        ("send_policy", "{"),
        ("send_policy", "[" * 5000),
        ("send_policy", "[]"),
        ("send_policy", '{"default": "maybe"}'),
        ("send_policy", '{"fallback": "deny"}'),
        ("send_policy", '{"rules": {}}'),
        ("send_policy", '{"rules": [1]}'),
        ("send_policy", '{"rules": [{"action": "block"}]}'),
        ("send_policy", '{"rules": [{"action": "deny", "match": {"colour": "red"}}]}'),
        ("send_policy", '{"rules": [{"action": "deny", "match": {"channel": 3}}]}'),
        ("send_policy", '{"rules": [{"action": ["deny"]}]}'),
        ("send_policy", '{"default": {}}'),
    ],
)
def test_what_is_wrong_stands_beside_its_field(name: str, value: Any, alice: make.Person, as_alice: Client) -> None:
    before = kept_of(alice)
    page = as_alice.post(PAGE, form(**{name: value}))
    assert page.status_code == 200 and list(page.context["session_form"].errors) == [name]
    assert str(page.context["session_form"].errors[name][0]).endswith((".", "…"))
    assert kept_of(alice) == before and kept_of(alice).send_policy == before.send_policy


def test_no_token_and_no_other_owner_changes_settings(alice: make.Person, charlie: make.Person) -> None:
    with pytest.raises(Forbidden):
        update_settings(make.agent(alice), account_id=alice.account.pk, turns=0)
    with pytest.raises(NotFound):
        update_settings(charlie.actor, account_id=alice.account.pk, turns=0)
    assert kept_of(alice).turns == 5


def test_an_unknown_setting_is_refused(alice: make.Person) -> None:
    with pytest.raises(DomainError):
        update_settings(alice.actor, account_id=alice.account.pk, hub_connection=None)


def test_a_session_s_policy_is_its_owner_s_alone_and_recorded(alice: make.Person, charlie: make.Person) -> None:
    held = make.session(alice)
    with pytest.raises(Forbidden):
        set_send_policy(make.agent(alice), held, "deny")
    with pytest.raises(NotFound):
        set_send_policy(charlie.actor, held, "deny")
    set_send_policy(alice.actor, held, "deny")
    assert Entry.objects.get(deed="session.patched").details == {"changed": {"send_policy": "deny"}}


def test_staff_without_an_account_have_no_such_settings(client: Client, staff: make.Person) -> None:
    client.force_login(staff.user)
    assert client.get(PAGE).status_code in {200, 302}
