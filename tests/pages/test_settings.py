"""The settings page: the only place where the switch is turned (W-32 to W-35)."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import User
from audit.models import Entry
from chat import actions
from chat.models import ChatSettings
from core.actor import Door, operator
from core.errors import Forbidden
from tests import make

PAGE = reverse("admin:settings")
ON = {"allowed": "on", "retention_days": "", "keep_thread_openers": ""}


def kept(who: make.Person) -> ChatSettings:
    found: ChatSettings = ChatSettings.objects.get(account=who.account)
    return found


def test_w_32_a_new_account_shows_the_switch_on_and_the_server_s_days(alice: make.Person, as_alice: Client) -> None:
    page = as_alice.get(PAGE).content.decode()
    assert 'name="allowed"' in page and "checked" in page.split('name="allowed"')[1].split(">")[0]
    assert f"At most {settings.CHAT_RETENTION_DAYS}" in page
    for name in ("allowed", "retention_days", "keep_thread_openers", "only_owner_opens_topics"):
        assert f'<label for="id_{name}"' in page


def test_w_33_the_owner_turns_the_chat_off_and_his_agents_are_refused(alice: make.Person, as_alice: Client) -> None:
    answer = as_alice.post(PAGE, {"retention_days": "7", "keep_thread_openers": "on"})
    assert answer.headers["Location"] == PAGE
    assert (kept(alice).allowed, kept(alice).retention_days, kept(alice).keep_thread_openers) == (False, 7, True)
    with pytest.raises(Forbidden):
        make.message(alice)
    entry = Entry.objects.get(deed="chat.settings_changed")
    assert (entry.door, entry.user_id, entry.details["allowed"]) == (Door.PAGE, alice.user.pk, False)


def test_w_34_turned_on_again_the_agents_post_on(alice: make.Person, as_alice: Client) -> None:
    make.message(alice)
    as_alice.post(PAGE, {})
    assert "Agent chat is off" in as_alice.get(PAGE).content.decode()
    as_alice.post(PAGE, ON)
    assert make.message(alice) == 2


def test_w_35_charlie_changes_his_own_settings_whatever_account_he_names(
    alice: make.Person, charlie: make.Person, as_charlie: Client
) -> None:
    form = {"account": alice.account.pk, "account_id": alice.account.pk, "pk": alice.account.pk}
    as_charlie.post(f"{PAGE}?account={alice.account.pk}&account_id={alice.account.pk}", form)
    assert kept(alice).allowed and not kept(charlie).allowed


def test_w_35_staff_turn_only_their_own_switch(alice: make.Person, staff: make.Person, as_staff: Client) -> None:
    as_staff.post(PAGE, {"account": alice.account.pk})
    assert kept(alice).allowed and not kept(staff).allowed


def test_w_35_the_anonymous_are_sent_to_sign_in_and_change_nothing(alice: make.Person, client: Client) -> None:
    assert client.post(PAGE, {}).headers["Location"].startswith(reverse("sign-in"))
    assert kept(alice).allowed


@pytest.mark.parametrize("days", ["0", "-3", "15", "1.5", "x", "9" * 40, "\x00"])
def test_days_out_of_range_are_refused_beside_the_field_and_nothing_is_saved(
    days: str, alice: make.Person, as_alice: Client
) -> None:
    answer = as_alice.post(PAGE, {"retention_days": days})
    assert answer.status_code == 200 and 'class="errors' in answer.content.decode()
    assert kept(alice).allowed and kept(alice).retention_days is None


def test_saving_what_is_already_so_leaves_no_record(alice: make.Person, as_alice: Client) -> None:
    as_alice.post(PAGE, ON)
    assert not Entry.objects.filter(deed="chat.settings_changed").exists()


def test_other_methods_are_refused(as_alice: Client) -> None:
    assert as_alice.put(PAGE).status_code == as_alice.delete(PAGE).status_code == 405


def test_staff_without_an_account_are_told_so(client: Client, db: None) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", make.PASSWORD))
    assert "You have no account of your own" in client.get(PAGE, follow=True).content.decode()
    assert actions.update_settings(operator(), account_id=make.person("z@example.org").account.pk).allowed


def test_what_granted_launches_only_brings_with_it_is_said_before_it_is_chosen(alice: make.Person, as_alice: Client) -> None:
    page = " ".join(as_alice.get(PAGE).content.decode().split())
    days = min(30, settings.CHAT_RETENTION_DAYS)
    assert "also turns on <em>Only the owner opens topics</em> and <em>Keep thread openers</em>" in page
    assert f"keeps messages {days} days. Each may be changed after." in page


def test_choosing_granted_launches_only_turns_on_what_was_said_and_each_may_be_changed_after(
    alice: make.Person, as_alice: Client
) -> None:
    assert as_alice.post(PAGE, {"access": "granted"}).headers["Location"] == PAGE
    now = kept(alice)
    assert (now.access, now.allowed, now.only_owner_opens_topics, now.keep_thread_openers) == ("granted", True, True, True)
    assert now.retention_days == min(30, settings.CHAT_RETENTION_DAYS)
    as_alice.post(PAGE, ON)
    now = kept(alice)
    assert (now.access, now.only_owner_opens_topics, now.keep_thread_openers, now.retention_days) == (
        "granted",
        False,
        False,
        None,
    )
    as_alice.post(PAGE, {"access": "every"})
    assert kept(alice).access == "every"


@pytest.mark.parametrize("access", ["", "all", "\x00", "<b>"])
def test_another_choice_of_who_chats_is_refused_beside_it(access: str, alice: make.Person, as_alice: Client) -> None:
    page = as_alice.post(PAGE, {"access": access})
    assert page.status_code == 200 and "hub-error" in page.content.decode() and "<b>" not in page.content.decode()
    assert kept(alice).access == "every"


def test_only_the_owner_opens_topics_is_turned_on_by_itself(alice: make.Person, as_alice: Client) -> None:
    as_alice.post(PAGE, {**ON, "only_owner_opens_topics": "on"})
    assert (kept(alice).only_owner_opens_topics, kept(alice).access) == (True, "every")


def test_charlie_chooses_who_chats_for_himself_alone(alice: make.Person, charlie: make.Person, as_charlie: Client) -> None:
    as_charlie.post(PAGE, {"access": "granted", "account": alice.account.pk})
    assert (kept(alice).access, kept(charlie).access) == ("every", "granted")
