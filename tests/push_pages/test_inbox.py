"""The page Inbox: the list, the banner, and what waits for the owner's word."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core import clock as hub_clock
from tests import make, pushing
from tests.push_pages.rows import firing
from triggers.models import Firing, PushMessage

INBOX, PART = reverse("admin:push-inbox"), reverse("admin:push-inbox-part")


def at(seq: int) -> str:
    return reverse("admin:push-message", args=[seq])


def shown(browser: Client, **given: str) -> list[int]:
    return [each.seq for each in browser.get(PART, given).context["found"].rows]


def test_the_list_shows_number_place_and_a_preview_newest_first(alice: make.Person, as_alice: Client) -> None:
    pushing.pushed(alice, "first")
    pushing.pushed(alice, "two\nlines " + "x" * 300, channel="ci", server="build")
    page = as_alice.get(INBOX).content.decode()
    assert page.index("#2") < page.index("#1")
    assert "build/ci" in page and "two lines xx" in page and "x" * 130 not in page


def test_text_of_a_server_is_inert(alice: make.Person, as_alice: Client) -> None:
    held = pushing.pushed(alice, "<script>1</script>\u202eevil", channel="<b>ci</b>", server="<i>s</i>")
    for page in (as_alice.get(INBOX).content.decode(), as_alice.get(at(held.seq)).content.decode()):
        assert "<script>1" not in page and "<b>ci" not in page and "<i>s" not in page and "\u202e" not in page


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        pytest.param({"channel": "ci"}, [2], id="C-121"),
        pytest.param({"channel": "*"}, [3, 2, 1], id="C-122-all"),
        pytest.param({"channel": "nobody"}, [], id="C-122-unknown"),
        ({"server": "build"}, [3, 2]),
        ({"server": "build", "channel": "alerts"}, [3]),
        ({"text": "LL"}, [1]),
        ({"before": "3"}, [2, 1]),
        ({"before": "bogus", "every": "on"}, [3, 2, 1]),
        ({"text": "\U0001f600" * 500}, [3, 2, 1]),
    ],
)
def test_the_list_is_filtered(given: dict[str, str], seen: list[int], alice: make.Person, as_alice: Client) -> None:
    pushing.pushed(alice, "hello")
    pushing.pushed(alice, "two", channel="ci", server="build")
    pushing.pushed(alice, "three", server="build")
    assert shown(as_alice, **given) == seen


def test_a_filter_that_finds_nothing_says_so_and_stays(alice: make.Person, as_alice: Client) -> None:
    pushing.pushed(alice)
    page = as_alice.get(INBOX, {"channel": "nobody"}).content.decode()
    assert "No message fits this filter." in page and '<option value="nobody" selected' in page


def test_the_live_list_holds_the_ring_and_the_trail_everything(alice: make.Person, as_alice: Client, settings: Any) -> None:
    settings.PUSH_RING_MESSAGES = 3
    pushing.push_many(alice, 5)
    PushMessage.objects.filter(seq=4).update(cleared=True)
    assert shown(as_alice) == [5, 3, 2] and shown(as_alice, every="on") == [5, 4, 3, 2, 1]
    page = as_alice.get(INBOX, {"every": "on"}).content.decode()
    assert "cleared" in page


def test_a_long_trail_is_shown_in_pages_by_number(alice: make.Person, as_alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triggers.owning.reading.AT_ONCE", 2)
    pushing.push_many(alice, 5)
    page = as_alice.get(INBOX, {"every": "on", "channel": "alerts"}).content.decode()
    assert "?before=4&amp;channel=alerts&amp;every=on" in page
    assert shown(as_alice, every="on", before="4") == [3, 2]
    last = as_alice.get(INBOX, {"every": "on", "before": "2"})
    assert last.context["found"].older is None and "Newest" in last.content.decode()


def test_c_118_without_anything_new_there_is_no_banner(alice: make.Person, as_alice: Client) -> None:
    assert 'id="banner"' not in as_alice.get(INBOX).content.decode()
    pushing.pushed(alice)
    firing(alice, rule="watch", content="disk full")
    page = as_alice.get(INBOX).content.decode()
    assert "Since you acknowledged last: 1 message, 1 firing" in page and "watch" in page and "disk full" in page


def test_an_inbox_that_nothing_was_pushed_to_says_how_it_begins(alice: make.Person, as_alice: Client) -> None:
    assert "Nothing was pushed yet" in as_alice.get(INBOX).content.decode()


def test_what_asks_is_shown_until_it_expires(alice: make.Person, as_alice: Client, clock: Any) -> None:
    held = firing(alice, rule="deploy", mode="confirm", state=Firing.ASKED, prompt="Deploy it.", minutes=30)
    page = as_alice.get(INBOX).content.decode()
    assert "Deploy it." in page and reverse("admin:firing-decide", args=[held.number]) in page
    clock.forward(minutes=30, seconds=1)
    assert "Deploy it." not in as_alice.get(INBOX).content.decode()


def test_a_message_opens_whole_with_what_fired_on_it(alice: make.Person, as_alice: Client) -> None:
    held = pushing.pushed(alice, "line one\nline two " + "y" * 500)
    firing(alice, rule="watch", seq=held.seq)
    page = as_alice.get(at(held.seq)).content.decode()
    assert "line one\nline two" in page and "y" * 500 in page and "watch" in page and "518\xa0bytes" in page
    assert reverse("admin:push-run", args=[held.seq]) in page


def test_a_message_that_is_not_live_is_not_offered_to_an_agent(alice: make.Person, as_alice: Client) -> None:
    held = pushing.pushed(alice)
    PushMessage.objects.update(cleared=True)
    assert reverse("admin:push-run", args=[held.seq]) not in as_alice.get(at(held.seq)).content.decode()


def test_a_number_used_again_shows_no_firing_of_another_time(alice: make.Person, as_alice: Client) -> None:
    firing(alice, rule="long-ago", seq=1, fired_at=hub_clock.now() - timedelta(days=2))
    pushing.pushed(alice)
    assert "long-ago" not in as_alice.get(at(1)).content.decode()


def test_nobody_else_sees_any_of_it(alice: make.Person, as_charlie: Client, as_staff: Client) -> None:
    held = pushing.pushed(alice, "only for alice")
    for browser in (as_charlie, as_staff):
        assert "only for alice" not in browser.get(INBOX, {"every": "on"}).content.decode()
        told = [
            [str(each) for each in browser.get(at(seq), follow=True).context["messages"]] for seq in (held.seq, 10**9, 10**30)
        ]
        assert told[0] == told[1] == told[2] and told[0]
