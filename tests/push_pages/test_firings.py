"""The owner's pages of firings: all of them, one whole, his yes or no, and stopping."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import Entry
from core.actor import system
from sessions_app.models import Run
from sessions_app.runs import actions as runs
from sessions_app.values import Asked
from tests import make, pushing
from tests.push_pages.rows import asking, firing
from triggers.models import Firing

FIRINGS, PART, INBOX = reverse("admin:firings"), reverse("admin:firings-part"), reverse("admin:push-inbox")


def at(number: int, name: str = "firing") -> str:
    return reverse(f"admin:{name}", args=[number])


def said(answer: Any) -> list[str]:
    return [str(each) for each in answer.context["messages"]]


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ({}, [3, 2, 1]),
        ({"state": "failed"}, [2]),
        ({"rule": "watch"}, [3, 1]),
        ({"rule": "nobody"}, []),
        ({"state": "bogus"}, [3, 2, 1]),
        ({"before": "3"}, [2, 1]),
    ],
)
def test_firings_are_listed_newest_first_and_filtered(
    given: dict[str, str], seen: list[int], alice: make.Person, as_alice: Client
) -> None:
    firing(alice)
    firing(alice, rule="deploy", mode="auto", state=Firing.FAILED, detail="The agent is gone.")
    firing(alice, content="<b>loud</b>")
    page = as_alice.get(PART, given)
    assert [each.number for each in page.context["found"].rows] == seen and "<b>loud" not in page.content.decode()


def test_a_firing_shows_why_it_failed_what_was_asked_and_its_message(alice: make.Person, as_alice: Client) -> None:
    held = pushing.pushed(alice, "disk full")
    made = firing(
        alice, mode="auto", seq=held.seq, state=Firing.FAILED, detail="No agent.", prompt="Look at {{x}}", tools=["chat_*"]
    )
    page = as_alice.get(at(made.number)).content.decode()
    for part in ("No agent.", "Look at {{x}}", "chat_*", "run at once", "failed", reverse("admin:push-message", args=[held.seq])):
        assert part in page


def test_a_firing_leads_to_its_run_and_to_the_tool_it_asks_for(alice: make.Person, as_alice: Client) -> None:
    held = make.session(alice, "hook:1234")
    run = runs.begin(system(account_id=alice.account.pk), held, Asked(message="look", purpose=Run.OWNER))
    made = firing(alice, mode="auto", state=Firing.RUNNING, run=run)
    page = as_alice.get(at(made.number)).content.decode()
    assert reverse("admin:session", args=[held.session_id]) in page and reverse("admin:tool-approvals") not in page
    Run.objects.filter(pk=run.pk).update(held="approval")
    assert reverse("admin:tool-approvals") in as_alice.get(at(made.number)).content.decode()


def test_a_firing_whose_message_is_gone_still_shows_it(alice: make.Person, as_alice: Client) -> None:
    made = firing(alice, seq=77, content="it was so")
    page = as_alice.get(at(made.number)).content.decode()
    assert "it was so" in page and reverse("admin:push-message", args=[77]) not in page


@pytest.mark.parametrize(("answer", "state"), [("yes", Firing.QUEUED), ("no", Firing.DECLINED), ("", Firing.DECLINED)])
def test_the_owner_decides_and_it_is_audited(answer: str, state: str, alice: make.Person, as_alice: Client) -> None:
    made = asking(alice)
    assert as_alice.post(at(made.number, "firing-decide"), {"answer": answer}).headers["Location"] == f"{INBOX}#waits"
    made.refresh_from_db()
    entry = Entry.objects.get(deed__startswith="firing.")
    assert (made.state, made.accepted) == (state, answer == "yes") and entry.door == "page"


def test_a_decision_on_the_page_of_the_firing_leads_back_there(alice: make.Person, as_alice: Client) -> None:
    made = asking(alice)
    assert 'name="from" value="firing"' in as_alice.get(at(made.number)).content.decode()
    answer = as_alice.post(at(made.number, "firing-decide"), {"answer": "no", "from": "firing"})
    assert answer.headers["Location"] == at(made.number)


def test_an_expired_question_is_neither_offered_nor_accepted(alice: make.Person, as_alice: Client, clock: Any) -> None:
    made = asking(alice)
    clock.forward(minutes=30, seconds=1)
    assert at(made.number, "firing-decide") not in as_alice.get(at(made.number)).content.decode()
    as_alice.post(at(made.number, "firing-decide"), {"answer": "yes"})
    made.refresh_from_db()
    assert not made.accepted and made.state == Firing.ASKED


def test_what_waits_is_stopped(alice: make.Person, as_alice: Client) -> None:
    made = firing(alice, mode="auto", state=Firing.QUEUED)
    assert at(made.number, "firing-stop") in as_alice.get(at(made.number)).content.decode()
    as_alice.post(at(made.number, "firing-stop"))
    made.refresh_from_db()
    assert made.state == Firing.STOPPED and at(made.number, "firing-stop") not in as_alice.get(at(made.number)).content.decode()


def test_stopping_what_has_ended_says_so(alice: make.Person, as_alice: Client) -> None:
    made = firing(alice, state=Firing.DONE, mode="auto")
    assert "nothing to stop" in said(as_alice.post(at(made.number, "firing-stop"), follow=True))[0]


def test_nobody_else_sees_or_decides(alice: make.Person, as_charlie: Client, as_staff: Client) -> None:
    made = asking(alice, rule="alices-rule")
    for browser in (as_charlie, as_staff):
        assert "alices-rule" not in browser.get(FIRINGS).content.decode()
        for name in ("firing-decide", "firing-stop"):
            told = [said(browser.post(at(number, name), {"answer": "yes"}, follow=True)) for number in (made.number, 999)]
            assert told[0] == told[1] and told[0]
        read = [said(browser.get(at(number), follow=True)) for number in (made.number, 999)]
        assert read[0] == read[1] and read[0]
    made.refresh_from_db()
    assert made.state == Firing.ASKED


def test_deeds_take_a_form_alone(alice: make.Person, as_alice: Client) -> None:
    made = asking(alice)
    assert {as_alice.get(at(made.number, name)).status_code for name in ("firing-decide", "firing-stop")} == {405}
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user)
    assert strict.post(at(made.number, "firing-decide"), {"answer": "yes"}).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_a_firing_that_fails_as_soon_as_it_is_accepted_says_why(alice: make.Person, as_alice: Client) -> None:
    made = asking(alice)
    answer = as_alice.post(at(made.number, "firing-decide"), {"answer": "yes"}, follow=True)
    assert answer.redirect_chain[-1][0] == at(made.number)
    assert "It failed: The hub cannot run agent" in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_firing_that_runs_once_it_is_accepted_says_so(alice: make.Person, as_alice: Client) -> None:
    make.hub_agent(alice)
    made = asking(alice)
    answer = as_alice.post(at(made.number, "firing-decide"), {"answer": "yes"}, follow=True)
    assert "Your agent is put to it." in answer.content.decode()
