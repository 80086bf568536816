"""The owner's settings and the send policy of one session: who may, what may be, what is recorded."""

from typing import Any

import pytest

from audit.models import Entry
from core.errors import Forbidden, Invalid, NotFound
from sessions_app.models import SessionSettings
from sessions_app.owning.actions import LIMITS, Wrong, checked_policy, set_send_policy, update_settings
from tests import make

POLICY = {"default": "allow", "rules": [{"action": "deny", "match": {"channel": "telegram", "chatType": "group"}}]}


def kept(who: make.Person) -> SessionSettings:
    return SessionSettings.objects.get(account=who.account)


def test_what_is_given_is_kept_and_recorded_once(alice: make.Person) -> None:
    wanted: dict[str, Any] = {"visibility": "tree", "turns": 2, "send_policy": POLICY, "agent_to_agent": False}
    for _ in range(2):
        update_settings(alice.actor, account_id=alice.account.pk, **wanted)
    held = kept(alice)
    assert {name: getattr(held, name) for name in wanted} == wanted
    entry = Entry.objects.get(deed="sessions.settings_changed")
    assert entry.target == f"account:{alice.account.pk}"


@pytest.mark.parametrize("name", LIMITS)
def test_the_ends_of_every_number_are_kept_and_what_lies_beyond_is_refused(name: str, alice: make.Person) -> None:
    least, most = LIMITS[name]
    for value in (least, most):
        assert getattr(update_settings(alice.actor, account_id=alice.account.pk, **{name: value}), name) == value
    for value in (least - 1, most + 1, True, "3", None, 1.5, 10**30):
        with pytest.raises(Wrong) as refused:
            update_settings(alice.actor, account_id=alice.account.pk, **{name: value})
        assert refused.value.name == name
    assert getattr(kept(alice), name) == most


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("visibility", "everything"),
        ("sandbox_visibility", ""),
        ("scope", None),
        ("agent_to_agent_allow", "main"),
        ("agent_to_agent_allow", ["a"] * 201),
        ("agent_to_agent_allow", [7]),
        ("agent_to_agent_allow", [" "]),
        ("subagent_tools_deny", ["a\x00b"]),
        ("subagent_tools_allow", ["a\u202eb"]),
        ("subagent_model", "m" * 129),
        ("default_model", "a\nb"),
        ("default_agent", "nobody"),
        ("default_agent", "../main"),
        ("send_policy", []),
        ("hub_connection", 1),
        ("account_pk", 1),
    ],
)
def test_what_cannot_be_is_refused_by_name_and_nothing_is_kept(name: str, value: object, alice: make.Person) -> None:
    before = SessionSettings.objects.filter(account=alice.account).values().get()
    with pytest.raises(Wrong) as refused:
        update_settings(alice.actor, account_id=alice.account.pk, **{"turns": 1, name: value})
    assert refused.value.name == name
    assert SessionSettings.objects.filter(account=alice.account).values().get() == before
    assert not Entry.objects.filter(deed="sessions.settings_changed").exists()


def test_the_agent_of_another_owner_is_none_of_ones_own(alice: make.Person, charlie: make.Person) -> None:
    make.hub_agent(alice, "hers")
    with pytest.raises(Wrong):
        update_settings(charlie.actor, account_id=charlie.account.pk, default_agent="hers")


def test_charlie_changes_nothing_of_hers_and_hears_what_he_would_of_an_unknown_account(
    alice: make.Person, charlie: make.Person
) -> None:
    told = []
    for account_id in (alice.account.pk, 999_999):
        with pytest.raises(NotFound) as refused:
            update_settings(charlie.actor, account_id=account_id, visibility="self")
        told.append(refused.value.detail)
    assert told[0] == told[1] and kept(alice).visibility == "all"


def test_no_token_changes_settings_or_policies(alice: make.Person) -> None:
    held = make.session(alice)
    for agent in (make.agent(alice), make.in_session(alice, held), make.granted(alice, "lead")):
        with pytest.raises(Forbidden):
            update_settings(agent, account_id=alice.account.pk, visibility="self")
        with pytest.raises(Forbidden):
            set_send_policy(agent, held, "deny")
    held.refresh_from_db()
    assert held.send_policy == "" and kept(alice).visibility == "all"


@pytest.mark.parametrize("policy", [{}, {"default": "deny"}, {"rules": []}, POLICY, {"rules": [{"action": "allow"}]}])
def test_a_policy_that_can_be_is_kept_as_it_is(policy: dict[str, Any]) -> None:
    assert checked_policy(policy) == policy


@pytest.mark.parametrize(
    "policy",
    [
        None,
        [],
        "deny",
        {"default": "perhaps"},
        {"default": []},
        {"default": {}},
        {"rules": {}},
        {"rules": [7]},
        {"rules": [{"action": "drop"}]},
        {"rules": [{"action": []}]},
        {"rules": [{"action": "deny", "match": []}]},
        {"rules": [{"action": "deny", "match": {"chanel": "x"}}]},
        {"rules": [{"action": "deny", "match": {"channel": ""}}]},
        {"rules": [{"action": "deny", "match": {"channel": 7}}]},
        {"rules": [{"action": "deny", "match": {"keyPrefix": "a\x00"}}]},
        {"rules": [{"action": "deny", "more": 1}]},
        {"rules": [{"action": "deny"}] * 101},
        {"rule": []},
        {"rules": [{"action": "deny", "match": {"channel": "x" * 257}}]},
    ],
)
def test_a_policy_that_cannot_be_is_refused(policy: object) -> None:
    with pytest.raises(Wrong) as refused:
        checked_policy(policy)
    assert refused.value.name == "send_policy" and refused.value.detail


def test_a_session_overrides_the_policy_and_follows_it_again(alice: make.Person) -> None:
    held = make.session(alice)
    for policy in ("deny", "allow", ""):
        set_send_policy(alice.actor, held, policy)
        held.refresh_from_db()
        assert held.send_policy == policy
    assert Entry.objects.filter(deed="session.patched").count() == 3


def test_a_policy_of_another_word_is_refused(alice: make.Person) -> None:
    with pytest.raises(Invalid):
        set_send_policy(alice.actor, make.session(alice), "maybe")


def test_charlie_and_an_archived_session_change_no_policy(alice: make.Person, charlie: make.Person, clock: Any) -> None:
    held = make.session(alice)
    with pytest.raises(NotFound):
        set_send_policy(charlie.actor, held, "deny")
    held = make.session(alice, archived_at=held.created_at)
    with pytest.raises(NotFound):
        set_send_policy(alice.actor, held, "deny")
    held.refresh_from_db()
    assert held.send_policy == ""
