"""The push inbox in a real browser: live, with the keyboard, at both widths and in both schemes."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from core import clock, news
from tests import make, play, pushing
from tests.browser.conftest import elsewhere
from tests.browser.looks import check_looks, in_every_look, picture
from tests.push_pages.rows import asking, firing
from triggers.models import Firing, PushMessage, PushServer, Rule, RuleState
from triggers.news import push_key

if TYPE_CHECKING:
    from playwright.sync_api import Page

    OpenPage = Callable[..., Page]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LIVE = "html[data-live=on]"

LONG = "https://ci.example.org/" + "a-very-long-path" * 20


def _messages(who: make.Person) -> None:
    for number, channel in enumerate(
        ("ci/main", "alerts/disk", "alerts/cpu", "deploys", "progress", "mail", "calendar", "x" * 90)
    ):
        for place in range(1 + number * 3 % 7):
            pushing.pushed(who, f"Build {place} of the day failed: {LONG}" if not number else f"{channel} says {place}", channel)
    for place, held in enumerate(PushMessage.objects.order_by("seq")):
        changes = {"received_at": clock.now() - timedelta(days=place % 12), "unread": place % 3 == 0, "imported": place % 11 == 0}
        PushMessage.objects.filter(pk=held.pk).update(**changes)


def _rules(who: make.Person) -> None:
    for place, (name, mode) in enumerate((("disk", "notify"), ("deploy", "confirm"), ("fix-the-build-when-it-breaks", "auto"))):
        Rule.objects.create(account=who.account, position=place, name=name, mode=mode, created_at=clock.now())
        RuleState.objects.create(
            account=who.account,
            rule=name,
            fired=place * 1200,
            fired_at=clock.now(),
            by_rate=3,
            by_dedup=17,
            last_error="No agent.",
        )


def _firings(who: make.Person) -> Firing:
    states = (Firing.DONE, Firing.FAILED, Firing.STOPPED, Firing.SHOWN, Firing.DROPPED, Firing.EXPIRED, Firing.RUNNING)
    for place in range(26):
        state = states[place % len(states)]
        mode = "notify" if state == Firing.SHOWN else "auto"
        detail = "The agent main cannot be run by the hub; give it a runner on the page Agents." if state == Firing.FAILED else ""
        when = clock.now() - timedelta(days=place % 13)
        firing(who, rule="disk", mode=mode, state=state, detail=detail, fired_at=when, unacked=place > 21, prompt="Look at it.")
    asking(who, content=f"Tag v1.2 was pushed {LONG}", prompt="Deploy v1.2.\n" + "Then look at the figures. " * 30)
    return asking(who, rule="<b>second</b>", content="and \u202eanother", seq=2)


@pytest.fixture
def scene(alice: make.Person, hub: str) -> list[str]:
    """Everything that these pages show; answers their addresses."""
    make.hub_agent(alice, "main", "model", name="Main", model="big")
    pushing.server(alice, "prom", state=PushServer.FAILED)
    _messages(alice)
    _rules(alice)
    asks = _firings(alice)
    seq = PushMessage.objects.filter(channel="ci/main").latest("seq").seq
    failed = Firing.objects.filter(state=Firing.FAILED).latest("number").number
    named = ("push-inbox", "firings", "push-figures", "push-settings", "push-clear-all", "push-inject", "push-journal", "index")
    return [
        *(reverse(f"admin:{name}") for name in named),
        f"{reverse('admin:push-inbox')}?every=on&channel=ci%2Fmain",
        f"{reverse('admin:push-inbox')}?channel=nothing",
        *(reverse("admin:push-message", args=[each]) for each in (seq, 20)),
        reverse("admin:push-run", args=[seq]),
        *(reverse("admin:firing", args=[each]) for each in (asks.number, failed)),
    ]


@in_every_look
def test_pages_fit_their_window_and_axe_finds_nothing_serious(
    width: int, scheme: str, alice: make.Person, scene: list[str], open_page: "OpenPage"
) -> None:
    check_looks(open_page(width=width, color_scheme=scheme, who=alice), scene, f"{width}-{scheme}")


def ring(who: make.Person) -> None:
    news.publish([push_key(who.account.pk)])


def fires(who: make.Person, **more: object) -> Firing:
    """A firing, and the news of it."""

    def done() -> Firing:
        made = firing(who, **more)  # type: ignore[arg-type]
        ring(who)
        return made

    return elsewhere(done)


@pytest.mark.parametrize("name", ["push-inbox", "index", "chat", "settings"])
def test_a_firing_is_toasted_on_every_page_and_the_badge_counts(name: str, alice: make.Person, open_page: "OpenPage") -> None:
    page = open_page(who=alice)
    page.goto(reverse(f"admin:{name}"))
    page.locator(LIVE).wait_for()
    elsewhere(lambda: pushing.pushed(alice, "disk full"))
    fires(alice, rule="watch-disk", content="<b>disk</b> full")
    toast = page.locator("#toasts-list li")
    toast.wait_for()
    assert "watch-disk" in toast.inner_text() and "[prom/alerts] <b>disk</b> full" in toast.inner_text()
    page.locator("#push-badge").get_by_text("1 unread push message").wait_for(state="attached")
    toast.get_by_role("button", name="Close: watch-disk").press("Enter")
    toast.wait_for(state="detached")


def test_toasts_are_few_and_what_asks_stays_the_longest(alice: make.Person, hub: str, open_page: "OpenPage") -> None:
    page = open_page(who=alice, width=390)
    page.clock.install()
    page.goto(reverse("admin:audit"))
    page.locator(LIVE).wait_for()
    fires(alice, rule="deploy", mode="confirm", state=Firing.ASKED, expires_at=clock.now() + timedelta(minutes=30))
    page.locator("#toasts-list").get_by_text("deploy").wait_for()
    for number in range(6):
        fires(alice, rule=f"rule-{number}")
        page.clock.run_for(1500)
    page.locator("#toasts-list").get_by_text("rule-5").wait_for()
    assert page.locator("#toasts-list li").count() <= 3 and page.locator("#toasts-list").get_by_text("deploy").is_visible()
    picture(page, "toasts-390")
    page.clock.run_for(12_000)
    page.locator("#toasts-list").get_by_text("rule-5").wait_for(state="detached")
    assert page.locator("#toasts-list li").count() == 1


def test_messages_and_questions_come_by_themselves_and_are_decided_by_keyboard(
    alice: make.Person, hub: str, open_page: "OpenPage"
) -> None:
    page = open_page(who=alice)
    elsewhere(lambda: make.hub_agent(alice))
    page.goto(reverse("admin:push-inbox"))
    page.locator(LIVE).wait_for()
    elsewhere(lambda: pushing.pushed(alice, "the first of all"))
    page.locator(".hub-pushed").get_by_text("the first of all").wait_for()
    soon = clock.now() + timedelta(minutes=30)
    first = fires(alice, rule="one", mode="confirm", prompt="Look.", state=Firing.ASKED, expires_at=soon)
    page.locator(f"#p-{first.number} summary").click()
    page.locator(f"#yes-{first.number}").focus()
    fires(alice, rule="two", mode="confirm", state=Firing.ASKED, expires_at=soon)
    page.locator("#waits").get_by_role("link", name="two").wait_for()
    assert page.evaluate("document.activeElement.id") == f"yes-{first.number}"  # the keyboard stays where it was
    assert page.locator(f"#p-{first.number}[open]").count() == 1
    page.get_by_role("button", name="Decline two").press("Enter")
    page.get_by_text("Declined; nothing runs.").wait_for()
    page.get_by_role("button", name="Accept one").press("Enter")
    page.get_by_text("Your agent is put to it.").wait_for()
    assert not page.locator("#waits").count()
    assert elsewhere(lambda: set(Firing.objects.values_list("accepted", flat=True))) == {True, False}


def test_a_decision_made_elsewhere_is_seen_at_once(alice: make.Person, hub: str, open_page: "OpenPage") -> None:
    from triggers.firing.actions import confirm

    page = open_page(who=alice)
    page.goto(reverse("admin:push-inbox"))
    page.locator(LIVE).wait_for()
    held = fires(alice, rule="one", mode="confirm", state=Firing.ASKED, expires_at=clock.now() + timedelta(minutes=30))
    page.locator("#waits").wait_for()
    elsewhere(lambda: confirm(alice.actor, held.number, "no"))
    page.locator("#waits").wait_for(state="detached")


def test_a_run_that_a_rule_began_is_seen_to_its_end_and_another_is_stopped(
    alice: make.Person, hub: str, open_page: "OpenPage"
) -> None:
    def begun() -> Firing:
        pushing.pushed(alice, "main is red")
        return Firing.objects.select_related("run").get(state=Firing.RUNNING)

    def prepared() -> Firing:
        make.hub_agent(alice, runner="model")
        pushing.rule(alice, "fix", mode="auto", prompt="Fix {{content}}", tools=("chat_post",), rate_limit="1ms")
        return begun()

    held = elsewhere(prepared)
    page = open_page(who=alice)
    page.goto(reverse("admin:firing", args=[held.number]))
    page.locator(LIVE).wait_for()
    assert "Fix main is red" in page.locator("#firing").inner_text()
    elsewhere(lambda: play.answer(held.run))
    page.locator("#firing dd").get_by_text("done", exact=True).wait_for()
    assert not page.locator("#stop").count()
    second = elsewhere(begun)
    page.locator("#toasts-list").get_by_role("link", name="fix").click()
    page.locator("#stop").press("Enter")
    page.locator("#firing dd").get_by_text("stopped", exact=True).first.wait_for()
    assert page.url.endswith(reverse("admin:firing", args=[second.number]))


def test_deleting_all_is_asked_in_a_dialog(alice: make.Person, hub: str, open_page: "OpenPage") -> None:
    elsewhere(lambda: pushing.push_many(alice, 3))
    page = open_page(who=alice, width=390)
    page.goto(reverse("admin:push-inbox"))
    page.locator("#clear-all").press("Enter")
    picture(page, "dialog-390")
    page.get_by_role("dialog").get_by_role("button", name="Delete all").press("Enter")
    page.get_by_text("3 messages are deleted.").wait_for()
    assert not elsewhere(lambda: PushMessage.objects.exists())


def test_without_javascript_the_inbox_says_and_does_its_thing(alice: make.Person, hub: str, open_page: "OpenPage") -> None:
    held = elsewhere(lambda: (pushing.pushed(alice, "hello"), asking(alice))[1])
    page = open_page(who=alice, java_script_enabled=False)
    page.goto(reverse("admin:push-inbox"))
    assert page.get_by_text("hello").first.is_visible()
    page.locator(f"#no-{held.number}").click()
    page.get_by_text("Declined; nothing runs.").wait_for()
    page.locator("#clear-all").click()
    page.get_by_role("button", name="Delete all").click()
    page.get_by_text("1 message is deleted.").wait_for()


def _line(seq: int, content: str = "hello") -> str:
    told = {"seq": seq, "time": "2026-01-02T03:04:05Z", "server": "prom", "channel": "alerts", "content": content}
    return json.dumps(told) + "\n"


def test_c_34_journals_of_any_size_come_in_piece_by_piece_with_a_bar(
    alice: make.Person, hub: str, open_page: "OpenPage", tmp_path: Path
) -> None:
    before, journal = tmp_path / "channels.jsonl.1", tmp_path / "channels.jsonl"
    before.write_text("".join(_line(seq) for seq in range(1, 191)))
    journal.write_text(
        "".join(_line(seq, "x" * 60_000) for seq in range(191, 230)) + _line(999, "y" * 5_000_000) + "no json\n" + _line(230)
    )
    page = open_page(who=alice)
    page.goto(reverse("admin:push-journal"))
    page.get_by_label("Journals").set_input_files([journal, before])
    page.get_by_role("button", name="Import").press("Enter")
    page.locator("#import-said").get_by_text("Done.").wait_for()
    assert page.locator("progress").get_attribute("value") == "1"
    told = [page.locator(f"[data-count={name}]").inner_text() for name in ("stored", "known", "left_out")]
    assert told == ["230", "0", "2"]
    assert "channels.jsonl, line 40: it is too long" in page.locator("#skipped").inner_text()
    assert "channels.jsonl, line 41: it is no JSON object." in page.locator("#skipped").inner_text()
    page.get_by_text("230 messages are kept").wait_for()
    picture(page, "journal-done")
    assert elsewhere(lambda: list(PushMessage.objects.order_by("seq").values_list("seq", flat=True))) == list(range(1, 231))
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the journal").click()
    assert download.value.path().read_text().count("\n") == 230
