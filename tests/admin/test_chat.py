"""The chat in the admin: agents' text is data, and the switch is not turned here."""

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import Entry
from chat.models import ChatSettings, Counter, Message
from tests import make

HOSTILE = "<script>alert(1)</script> {{ 7*7 }} \x1b[31m\u202e" + "long " * 100 + "the very end"


def test_a_list_cuts_the_text_to_200_characters_and_escapes_it(alice: make.Person, as_alice: Client) -> None:
    make.message(alice, HOSTILE.replace("\x1b", ""))
    page = as_alice.get(reverse("admin:chat_message_changelist")).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7*7 }} [31m?" in page
    assert "<script>alert(1)" not in page and "the very end" not in page and "\u202e" not in page


def test_the_page_of_a_message_shows_the_whole_text_as_plain_text(alice: make.Person, as_alice: Client) -> None:
    make.message(alice, "<b>bold</b>\nsecond line " + "long " * 100 + "the very end")
    page = as_alice.get(reverse("admin:chat_message_change", args=[Message.objects.get().pk])).content.decode()
    assert "&lt;b&gt;bold&lt;/b&gt;<br>second line" in page and "the very end" in page
    assert 'name="body"' not in page


@pytest.mark.parametrize("model", ["message", "counter"])
def test_messages_and_counters_are_not_changed_even_by_staff(model: str, alice: make.Person, as_staff: Client) -> None:
    make.message(alice, "said once")
    pk = Message.objects.get().pk if model == "message" else alice.account.pk
    answer = as_staff.post(
        reverse(f"admin:chat_{model}_change", args=[pk]), {"body": "changed", "last_seq": "99", "_save": "Save"}
    )
    assert answer.status_code == 403
    assert Message.objects.get().body == "said once" and Counter.objects.get(account=alice.account).last_seq == 1


def test_days_kept_and_thread_openers_are_changed_through_the_action(alice: make.Person, as_alice: Client) -> None:
    address = reverse("admin:chat_chatsettings_change", args=[alice.account.pk])
    as_alice.post(address, {"retention_days": "3", "keep_thread_openers": "on"})
    kept = ChatSettings.objects.get(account=alice.account)
    assert (kept.retention_days, kept.keep_thread_openers) == (3, True)
    assert Entry.objects.get(deed="chat.settings_changed").door == "admin"


@pytest.mark.parametrize("who", ["alice", "staff"])
def test_the_switch_is_read_only_in_the_admin(who: str, alice: make.Person, as_alice: Client, as_staff: Client) -> None:
    client = as_alice if who == "alice" else as_staff
    address = reverse("admin:chat_chatsettings_change", args=[alice.account.pk])
    assert 'name="allowed"' not in client.get(address).content.decode()
    client.post(address, {"retention_days": "", "allowed": "", "_save": "Save"})
    ChatSettings.objects.filter(account=alice.account).update(allowed=False)
    client.post(address, {"retention_days": "", "allowed": "on", "_save": "Save"})
    assert not ChatSettings.objects.get(account=alice.account).allowed


@pytest.mark.parametrize("days", ["0", "-1", "15", "x", "9" * 30])
def test_days_out_of_range_are_refused(days: str, alice: make.Person, as_alice: Client) -> None:
    address = reverse("admin:chat_chatsettings_change", args=[alice.account.pk])
    assert as_alice.post(address, {"retention_days": days}, follow=True).status_code == 200
    assert ChatSettings.objects.get(account=alice.account).retention_days is None
