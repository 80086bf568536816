"""The list of rules in its order, and the deeds about one."""

import pytest
from django.test import Client
from django.urls import reverse

from tests import make, pushing
from tests.clock import Clock
from tests.push_rules_pages.conftest import kept, names
from triggers.models import Rule, RuleState

LIST, PART = reverse("admin:rules"), reverse("admin:rules-part")
UNKNOWN = 10**9


def at(page: str, rule: Rule | int) -> str:
    return reverse(f"admin:rule{page}", args=[rule if isinstance(rule, int) else rule.pk])


def do(browser: Client, rule: Rule, deed: str) -> None:
    assert browser.post(at("-do", rule), {"deed": deed}).status_code == 302


def test_rules_stand_in_their_order_with_what_each_did(alice: make.Person, as_alice: Client) -> None:
    kept(alice, "second to none", server="prom", channel="alerts/*", content_regex="<b>", prompt="Look at {{content}}.")
    RuleState.objects.update_or_create(
        account=alice.account,
        rule="second to none",
        defaults={"fired": 1234, "by_rate": 5, "by_dedup": 6, "by_loop": 7, "dropped": 8, "errors": 9, "last_error": "<i>broke"},
    )
    for address in (LIST, PART):
        page = as_alice.get(address).content.decode()
        for told in ("prom/alerts/*", "&lt;b&gt;", "Fired 1,234 times", "5 too soon", "6 said before", "7 its own echo"):
            assert told in page, told
        assert "8 dropped" in page and "9 errors" in page and "&lt;i&gt;broke" in page and "<b>" not in page


def test_a_rule_is_moved_up_and_down(alice: make.Person, as_alice: Client) -> None:
    first, second = kept(alice, "first"), kept(alice, "second")
    do(as_alice, second, "up")
    assert names(alice) == ["second", "first"]
    do(as_alice, second, "up")
    do(as_alice, first, "down")
    assert names(alice) == ["second", "first"]
    second.refresh_from_db()
    do(as_alice, second, "down")
    assert names(alice) == ["first", "second"]


def test_a_rule_that_is_switched_off_fires_no_more(alice: make.Person, as_alice: Client, clock: Clock) -> None:
    held = kept(alice, "alerts")
    do(as_alice, held, "off")
    pushing.pushed(alice)
    assert not alice.account.firings.exists() and "off" in as_alice.get(LIST).content.decode()
    do(as_alice, held, "on")
    pushing.pushed(alice)
    assert alice.account.firings.count() == 1


def test_what_is_no_deed_is_not_found(alice: make.Person, as_alice: Client) -> None:
    assert as_alice.post(at("-do", kept(alice)), {"deed": "bogus"}).status_code == 404


def test_removing_asks_first(alice: make.Person, as_alice: Client) -> None:
    held = kept(alice)
    part = as_alice.get(at("-remove", held), headers={"HX-Request": "true"}).content.decode()
    assert "Remove the rule alerts?" in part and "<html" not in part and Rule.objects.exists()
    answer = as_alice.post(at("-remove", held), headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == LIST and not Rule.objects.exists()


def test_a_page_without_rules_says_what_one_is(as_alice: Client) -> None:
    assert "A rule says what happens" in as_alice.get(LIST).content.decode()


@pytest.mark.parametrize("page", ["", "-do", "-remove"])
def test_a_foreign_and_an_unknown_rule_answer_alike(page: str, alice: make.Person, as_charlie: Client, as_staff: Client) -> None:
    held = kept(alice)
    for browser in (as_charlie, as_staff):
        told = []
        for rule in (held, UNKNOWN):
            form = {"name": "alerts", "mode": "notify", "deed": "off"}
            read = [] if page == "-do" else [browser.get(at(page, rule), follow=True)]
            answers = [*read, browser.post(at(page, rule), form, follow=True)]
            told.append([[str(each) for each in answer.context["messages"]] for answer in answers])
        assert told[0] == told[1] and "That is not there" in told[0][0][0]
    assert Rule.objects.get().enabled


def test_nobody_sees_another_owners_rules(alice: make.Person, as_charlie: Client, as_staff: Client) -> None:
    kept(alice, "alices-own")
    for browser in (as_charlie, as_staff):
        for address in (LIST, PART, reverse("admin:rules-export")):
            assert "alices-own" not in browser.get(address).content.decode()


def test_the_list_says_that_no_agent_could_run_what_its_rules_ask_for(alice: make.Person, as_alice: Client) -> None:
    pushing.rule(alice, "ask", mode="confirm", prompt="Look.")
    assert "cannot run agent" in as_alice.get(reverse("admin:rules")).content.decode()
    make.hub_agent(alice, runner="model")
    assert "cannot run agent" not in as_alice.get(reverse("admin:rules")).content.decode()
