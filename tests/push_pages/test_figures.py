"""The page Figures: messages by channel, firings by outcome, and what each rule did."""

from datetime import timedelta

from django.test import Client
from django.urls import reverse

from core import clock
from tests import make, pushing
from tests.push_pages.rows import firing
from triggers.models import Firing, PushMessage, Rule, RuleState
from triggers.owning.words import OUTCOMES

FIGURES, PART = reverse("admin:push-figures"), reverse("admin:push-figures-part")


def test_messages_are_counted_by_channel_and_day(alice: make.Person, as_alice: Client) -> None:
    for number in range(9):
        for _ in range(9 - number):
            pushing.pushed(alice, channel=f"ch{number}")
    PushMessage.objects.filter(channel="ch0").update(received_at=clock.now() - timedelta(days=2))
    PushMessage.objects.filter(channel="ch8").update(received_at=clock.now() - timedelta(days=40))
    shown = as_alice.get(PART)
    chart = shown.context["pushed"]
    assert chart.total == 44 and chart.series == ("ch0", "ch1", "ch2", "ch3", "ch4", "")
    assert chart.days[-3].counts == (9, 0, 0, 0, 0, 0) and chart.days[-1].counts == (0, 8, 7, 6, 5, 9)
    assert "all others" in shown.content.decode()


def test_firings_are_counted_by_what_they_came_to(alice: make.Person, as_alice: Client) -> None:
    for state, _word in Firing.STATES:
        firing(alice, mode="auto", state=state)
    firing(alice, state=Firing.SHOWN, fired_at=clock.now() - timedelta(days=13))
    shown = as_alice.get(PART)
    chart = shown.context["fired"]
    assert '<bdi class="hub-break">declined, expired or stopped</bdi>' in shown.content.decode()
    assert chart.total == 11 and chart.series == tuple(OUTCOMES)
    assert chart.days[-1].counts == (1, 1, 3, 3, 1, 1) and chart.days[0].counts == (0, 1, 0, 0, 0, 0)


def test_each_rule_says_when_it_fired_last_and_what_held_it_back(alice: make.Person, as_alice: Client) -> None:
    now = clock.now()
    Rule.objects.create(account=alice.account, position=1, name="quiet", created_at=now)
    Rule.objects.create(account=alice.account, position=0, name="<b>disk</b>", created_at=now, enabled=False)
    state = {"fired_at": now, "fired": 5, "by_rate": 11, "by_dedup": 12, "by_loop": 13, "dropped": 14, "errors": 15}
    RuleState.objects.create(account=alice.account, rule="<b>disk</b>", **state, last_error="It has no agent.")
    RuleState.objects.create(account=alice.account, rule="gone-by-now", fired=7)
    page = as_alice.get(FIGURES).content.decode()
    for part in ("&lt;b&gt;disk", "11", "12", "13", "14", "15", "It has no agent.", "never", "gone-by-now", "off"):
        assert part in page
    assert page.index("&lt;b&gt;disk") < page.index("<bdi>quiet") < page.index("gone-by-now")


def test_figures_of_nothing_say_so(as_alice: Client) -> None:
    page = as_alice.get(FIGURES).content.decode()
    assert "Nothing was pushed in this time." in page and "No rule fired in this time." in page and "no rule yet" in page


def test_figures_are_each_owner_s_own(alice: make.Person, as_charlie: Client, as_staff: Client) -> None:
    pushing.pushed(alice, channel="alices-channel")
    firing(alice)
    RuleState.objects.create(account=alice.account, rule="alices-rule")
    for browser in (as_charlie, as_staff):
        shown = browser.get(PART)
        assert shown.context["pushed"].total == shown.context["fired"].total == 0
        assert "alices" not in shown.content.decode()
