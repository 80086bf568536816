"""What the owner does on the page Inbox: acknowledge, clear, give to a session, pause, run."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import Entry as Audited
from sessions_app.models import Entry
from tests import make, pushing
from tests.push_pages.rows import asking, firing
from triggers.models import Firing, PushMessage, TriggerSettings

INBOX = reverse("admin:push-inbox")
DEEDS = ("push-ack", "push-clear", "push-clear-all", "push-inject", "push-pause")


def at(name: str, *args: int) -> str:
    return reverse(f"admin:{name}", args=args)


def said(answer: Any) -> str:
    return " ".join(str(each) for each in answer.context["messages"])


def kept(who: make.Person) -> TriggerSettings:
    return TriggerSettings.objects.get(account=who.account)


def test_c_110_ack_takes_attention_off_and_keeps_the_list_and_what_asks(alice: make.Person, as_alice: Client) -> None:
    pushing.push_many(alice, 3)
    for _ in range(3):
        firing(alice)
    held = asking(alice)
    assert "Acknowledged: 3 messages, 3 firings." in said(as_alice.post(at("push-ack"), follow=True))
    page = as_alice.get(INBOX)
    assert 'id="banner"' not in page.content.decode() and len(page.context["found"].rows) == 3
    assert page.context["asked"] == [held] and "There was nothing new." in said(as_alice.post(at("push-ack"), follow=True))


def test_c_36_clear_empties_the_list_and_the_trail_stays(alice: make.Person, as_alice: Client) -> None:
    pushing.push_many(alice, 3)
    assert "3 messages are off the list" in said(as_alice.post(at("push-clear"), follow=True))
    assert not as_alice.get(INBOX).context["found"].rows and kept(alice).unread == 0
    assert len(as_alice.get(INBOX, {"every": "on"}).context["found"].rows) == 3
    assert "The list is empty." in as_alice.get(INBOX).content.decode()


def test_c_37_deleting_all_asks_first(alice: make.Person, as_alice: Client) -> None:
    pushing.push_many(alice, 3)
    part = as_alice.get(at("push-clear-all"), headers={"HX-Request": "true"}).content.decode()
    assert 'id="asked"' in part and "<html" not in part and PushMessage.objects.count() == 3
    answer = as_alice.post(at("push-clear-all"), headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == INBOX and not PushMessage.objects.exists()


def test_the_newest_messages_are_given_to_a_session(alice: make.Person, as_alice: Client) -> None:
    pushing.push_many(alice, 12)
    assert 'value="main"' in as_alice.get(at("push-inject")).content.decode()
    assert "told of 10 messages" in said(as_alice.post(at("push-inject"), {"session": "main"}, follow=True))
    assert Entry.objects.get().message["role"] == "system"


def test_a_session_that_is_not_there_is_said_in_the_dialog(alice: make.Person, as_alice: Client) -> None:
    pushing.pushed(alice)
    answer = as_alice.post(at("push-inject"), {"session": "agent:nobody:x"}, headers={"HX-Request": "true"})
    assert answer.status_code == 200 and answer.context["form"].errors["session"]
    assert as_alice.post(at("push-inject"), {"session": ""}).context["form"].errors and not Entry.objects.exists()


def test_rules_are_paused_and_go_on(alice: make.Person, as_alice: Client) -> None:
    as_alice.post(at("push-pause"), {"answer": "pause"})
    page = as_alice.get(INBOX).content.decode()
    assert kept(alice).paused_at and "Rules are paused." in page and 'id="resume"' in page and 'id="pause"' not in page
    as_alice.post(at("push-pause"), {"answer": "resume"})
    assert not kept(alice).paused_at
    assert {each.door for each in Audited.objects.filter(deed__startswith="firings.")} == {"page"}


def test_c_117_a_message_of_the_list_is_run_at_the_owner_s_word(alice: make.Person, as_alice: Client) -> None:
    make.hub_agent(alice)
    held = pushing.pushed(alice, "disk <b>full</b>")
    part = as_alice.get(at("push-run", held.seq), headers={"HX-Request": "true"}).content.decode()
    assert "disk &lt;b&gt;full" in part and not Firing.objects.exists()
    answer = as_alice.post(at("push-run", held.seq))
    made = Firing.objects.get()
    assert made.by_hand and answer.headers["Location"] == at("firing", made.number)
    assert "by hand" in as_alice.get(at("firing", made.number)).content.decode()


def test_c_116_a_message_that_left_the_list_is_not_run(alice: make.Person, as_alice: Client) -> None:
    held = pushing.pushed(alice)
    PushMessage.objects.update(cleared=True)
    for seq in (held.seq, 999):
        answer = as_alice.post(at("push-run", seq))
        assert answer.status_code == 302
    assert not Firing.objects.exists()


@pytest.mark.parametrize("name", DEEDS)
def test_nobody_else_s_deed_touches_it(name: str, alice: make.Person, charlie: make.Person, as_charlie: Client) -> None:
    pushing.push_many(alice, 3)
    as_charlie.post(at(name), {"answer": "pause", "session": "main"})
    assert PushMessage.objects.filter(account=alice.account, unread=True, cleared=False).count() == 3
    assert kept(alice).paused_at is None and kept(alice).unread == 3 and not Entry.objects.exists()


def test_a_foreign_message_is_run_by_nobody(alice: make.Person, as_charlie: Client) -> None:
    held = pushing.pushed(alice)
    told = [said(as_charlie.post(at("push-run", seq), follow=True)) for seq in (held.seq, 999)]
    assert told[0] and told[0] == told[1] and not Firing.objects.exists()


@pytest.mark.parametrize("name", ["push-ack", "push-clear", "push-pause"])
def test_a_deed_takes_a_form_alone(name: str, as_alice: Client) -> None:
    assert as_alice.get(at(name)).status_code == 405
