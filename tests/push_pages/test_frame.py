"""What every page shows of the push inbox: the badge, toasts, cards on Home, the section of the settings."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import Entry
from core import clock
from core.registry import home_cards, live_keys
from tests import make, pushing
from tests.push_pages.rows import asking, firing
from triggers.models import Firing, PushServer, TriggerSettings
from triggers.news import push_key
from triggers.owning import cards

HOME, TOASTS, SETTINGS = reverse("admin:index"), reverse("admin:push-toasts"), reverse("admin:push-settings")
PAGES = ("index", "chat", "launches", "sessions", "agents", "connections", "settings", "audit", "profile", "push-inbox")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_the_badge_and_a_place_for_toasts(name: str, alice: make.Person, as_alice: Client) -> None:
    pushing.push_many(alice, 14)
    asking(alice)
    page = as_alice.get(reverse(f"admin:{name}")).content.decode()
    assert "firing waits for your answer" in page and "14 unread push messages" in page
    assert 'id="toasts-list"' in page and 'name="after" value="1"' in page


def test_somebody_without_an_account_has_neither(as_staff: Client, staff: make.Person) -> None:
    staff.account.delete()
    page = as_staff.get(HOME).content.decode()
    assert "toasts-list" not in page and "unread push" not in page


def test_the_badge_of_handled_news_stays_empty(alice: make.Person, as_alice: Client) -> None:
    pushing.pushed(alice, handled=True)
    assert "unread push" not in as_alice.get(HOME).content.decode()


def test_each_firing_after_a_number_is_a_toast_with_rule_place_and_preview(alice: make.Person, as_alice: Client) -> None:
    firing(alice, rule="earlier-rule")
    firing(alice, rule="<b>watch</b>", content="disk\nfull " + "x" * 500)
    page = as_alice.get(TOASTS, {"after": "1"}).content.decode()
    assert "&lt;b&gt;watch" in page and "prom/alerts" in page and "disk full" in page and "x" * 130 not in page
    assert "earlier-rule" not in page and 'name="after" value="2"' in page


def test_a_rule_that_fires_is_toasted_and_stands_in_the_banner(alice: make.Person, as_alice: Client) -> None:
    pushing.rule(alice, "watch-disk", channel="alerts")
    pushing.pushed(alice, "disk full")
    pushing.pushed(alice, "not this", channel="other")
    for address in (TOASTS, reverse("admin:push-inbox")):
        page = as_alice.get(address, {"after": "0"}).content.decode()
        assert page.count("<bdi>watch-disk</bdi>") == 1 and "disk full" in page


def test_what_asks_stays_until_it_is_closed(alice: make.Person, as_alice: Client) -> None:
    firing(alice)
    assert "data-stays" not in as_alice.get(TOASTS).content.decode()
    asking(alice)
    assert "data-stays" in as_alice.get(TOASTS, {"after": "1"}).content.decode()


def test_of_many_firings_the_newest_are_shown_and_the_rest_counted(alice: make.Person, as_alice: Client) -> None:
    for number in range(9):
        firing(alice, rule=f"rule-{number}")
    page = as_alice.get(TOASTS, {"after": "0"}).content.decode()
    assert page.count("data-close-toast") == 4 and "rule-8" in page and "rule-5" not in page and "6 more firings" in page


@pytest.mark.parametrize("after", ["", "bogus", "-1", "9" * 30])
def test_a_number_that_is_none_counts_as_not_given(after: str, as_alice: Client) -> None:
    assert as_alice.get(TOASTS, {"after": after}).status_code == 200


def test_nobody_else_is_told(alice: make.Person, as_charlie: Client) -> None:
    asking(alice, rule="alices-rule")
    page = as_charlie.get(TOASTS).content.decode()
    assert "alices-rule" not in page and "waits" not in page


def test_pages_renew_themselves_by_the_news_of_the_inbox() -> None:
    assert live_keys.get("push") is push_key and home_cards.get("push") is cards.waiting


def test_home_names_what_asks_servers_in_trouble_and_a_pause(alice: make.Person, as_alice: Client, charlie: make.Person) -> None:
    assert not cards.waiting(alice.actor)
    asking(alice)
    for number, state in enumerate((PushServer.FAILED, PushServer.SIGN_IN, PushServer.LISTENING)):
        pushing.server(alice, f"srv{number}", state=state)
    pushing.server(alice, "srv-off", state=PushServer.DISCONNECTED, enabled=False)
    TriggerSettings.objects.filter(account=alice.account).update(paused_at=clock.now())
    page = as_alice.get(HOME).content.decode()
    assert "1 firing of a rule waits" in page and "srv0 (failed" in page and "srv1 (wants you to sign in)" in page
    assert "srv2" not in page and "srv-off" not in page and "Your rules are paused" in page and not cards.waiting(charlie.actor)


def test_a_question_that_expired_waits_no_more(alice: make.Person, clock: Any) -> None:
    asking(alice)
    clock.forward(minutes=31)
    assert not cards.waiting(alice.actor)


def test_settings_are_shown_saved_and_audited(alice: make.Person, as_alice: Client) -> None:
    make.hub_agent(alice, "ops", "connected")
    assert 'id="push-settings"' in as_alice.get(reverse("admin:settings")).content.decode()
    as_alice.post(SETTINGS, {"agent": "ops", "auto_runs": "2"})
    kept = TriggerSettings.objects.get(account=alice.account)
    assert (kept.agent, kept.auto_runs, kept.in_prompts) == ("ops", 2, False)
    assert Entry.objects.get(deed="push.settings_changed").details == {"agent": "ops", "auto_runs": 2, "in_prompts": False}


@pytest.mark.parametrize("given", [{"agent": "nobody"}, {"auto_runs": "0"}, {"auto_runs": "33"}, {"auto_runs": "x"}])
def test_what_is_wrong_is_said_on_the_form(given: dict[str, str], alice: make.Person, as_alice: Client) -> None:
    page = as_alice.post(SETTINGS, {"agent": "", "auto_runs": "4", "in_prompts": "on", **given})
    assert page.status_code == 200 and list(page.context["push_form"].errors) == list(given)
    assert not Entry.objects.filter(deed="push.settings_changed").exists()


def test_settings_are_each_owner_s_own(alice: make.Person, charlie: make.Person, as_charlie: Client) -> None:
    make.hub_agent(alice, "ops", "connected")
    page = as_charlie.post(SETTINGS, {"agent": "ops", "auto_runs": "9"})
    assert "agent" in page.context["push_form"].errors
    assert set(TriggerSettings.objects.values_list("auto_runs", flat=True)) == {4}


def test_a_dropped_firing_is_told_too(alice: make.Person, as_alice: Client) -> None:
    firing(alice, mode="auto", state=Firing.DROPPED)
    assert "dropped, the queue was full" in as_alice.get(TOASTS).content.decode()
