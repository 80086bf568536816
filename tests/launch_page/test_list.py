"""The page Launches: what it tells of each."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Launch, User
from chat.grants import actions
from chat.hooks.answering import answer
from chat.models import Wake
from core import clock as hub_clock
from tests import make
from tests.clock import Clock

PAGE, PART = reverse("admin:launches"), reverse("admin:launches-part")
HOSTILE = "<b>x\u202eevil\x1b[31m"  # as long as the shortest column is wide


def shown(browser: Client, address: str = PAGE) -> str:
    """The page's text, its white space folded."""
    return " ".join(browser.get(address).content.decode().split())


def card(page: str, launch: Launch) -> str:
    """What the page says of one launch."""
    return page.partition(f'id="{launch.key}"')[2].partition('<li id="l-')[0]


def test_an_account_without_launches_is_told_how_to_launch(alice: make.Person, as_alice: Client) -> None:
    page = shown(as_alice)
    assert "No agent has been launched yet" in page and "tertulia launch -- claude" in page


def test_a_launch_shows_what_runs_where_and_since_when(alice: make.Person, as_alice: Client) -> None:
    launch = make.launch(alice, multiplexer_session="work", pane="%7")
    page = card(shown(as_alice), launch)
    for part in ("lead", launch.key, "claude 2.1.332", "desk", "process 4242", "tmux work %7 (claimed)", launch.connection_id):
        assert part in page
    assert "not granted" in page and "can be woken, once granted" in page and "unknown" in page
    assert reverse("admin:grant", args=[launch.key]) in page


def test_a_granted_launch_shows_its_handle_as_verified_and_its_button_revokes(alice: make.Person, as_alice: Client) -> None:
    launch = make.launch(alice)
    actor = make.granted(alice, "lead", wake=True, launch_=launch)
    page = card(shown(as_alice), launch)
    assert "@lead" in page and "verified" in page and "granted, tools pending" in page and "a mention wakes it" in page
    assert reverse("admin:grant-revoke", args=[launch.key]) in page and reverse("admin:grant", args=[launch.key]) not in page
    answer(launch.pk, "UserPromptSubmit")
    actions.note_tools_listed(actor)
    page = card(shown(as_alice), launch)
    assert "tools pending" not in page and "busy" in page and "since" in page


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"pane_state": "none", "pane": ""}, "It runs in no pane of tmux or Zellij."),
        ({"pane_state": "unclaimed"}, "Its pane is not claimed."),
        ({"note": "Copy mode cannot be told apart here."}, "Copy mode cannot be told apart here."),
    ],
)
def test_a_launch_that_nobody_can_wake_says_why(more: dict[str, Any], why: str, alice: make.Person, as_alice: Client) -> None:
    launch = make.launch(alice, wakeable=False, **more)
    assert f"not wakeable. {why}" in card(shown(as_alice), launch)


def test_t_09_what_ended_stands_below_with_how_and_offers_nothing(alice: make.Person, as_alice: Client) -> None:
    gone, runs = make.launch(alice, profile="gone"), make.launch(alice, profile="runs")
    make.granted(alice, "gone", launch_=gone)
    actions.end_stale(gone, reason="the process ended")
    Launch.objects.filter(pk=gone.pk).update(ended_at=hub_clock.now(), exit_status=137, end_reason="the process ended")
    page = shown(as_alice)
    assert page.index(runs.key) < page.index(gone.key) and page.index("Running") < page.index("Ended")
    ended = card(page, gone)
    assert "exit status 137 · the process ended" in ended and "grant ended by itself" in ended
    assert "data-dialog" not in ended and "Last seen" not in ended


def test_the_wakes_decided_last_are_told_in_words(alice: make.Person, as_alice: Client) -> None:
    launch = make.launch(alice)
    make.granted(alice, "lead", wake=True, launch_=launch)
    told = [*["ok"] * 3, "focused", "rate", "loop", "refused"]
    for seq, outcome in enumerate(told, start=1):
        Wake.objects.create(
            account=alice.account, launch=launch, seq=seq, outcome=outcome, detail="copy mode" if seq == 7 else "",
            decided_at=hub_clock.now(),
        )  # fmt: skip
    page = card(shown(as_alice), launch)
    assert "not woken: copy mode" in page and "somebody was in its pane" in page and "agents alone" in page
    assert page.count("</time>") == 5 and f'{reverse("admin:chat-message", args=[7])}"' in page


def test_charlie_and_staff_see_their_own_launches_only(
    alice: make.Person, charlie: make.Person, as_charlie: Client, staff: make.Person, as_staff: Client
) -> None:
    hers, his = make.launch(alice, profile="hers"), make.launch(charlie, profile="his")
    for browser in (as_charlie, as_staff):
        assert hers.key not in shown(browser) and hers.key not in shown(browser, PART)
    assert his.key in shown(as_charlie)


def test_whatever_a_launcher_tells_is_inert(alice: make.Person, as_alice: Client) -> None:
    text = dict.fromkeys(
        ("harness_version", "command", "host", "multiplexer", "multiplexer_session", "pane", "note", "end_reason"), HOSTILE
    )
    make.launch(alice, harness="", wakeable=False, **text)
    make.launch(alice, **text, ended_at=hub_clock.now())
    page = as_alice.get(PAGE).content.decode()
    assert "<b>x" not in page and "\u202e" not in page and "\x1b" not in page
    assert "&lt;b&gt;x?evil?[31m" in page


def test_many_launches_are_paged_and_asked_for_as_often_as_few(
    alice: make.Person, as_alice: Client, clock: Clock, django_assert_max_num_queries: Any
) -> None:
    held = make.connection(alice)
    for number in range(30):
        make.granted(alice, f"lead-{number}", launch_=make.launch(alice, profile=f"lead-{number}", connection_=held))
        clock.forward(seconds=1)
    with django_assert_max_num_queries(10):
        first = shown(as_alice)
    assert "Page 1 of 2" in first and "@lead-29" in first and "@lead-5" not in first
    assert "@lead-5" in shown(as_alice, f"{PAGE}?page=2") and "@lead-0" in shown(as_alice, f"{PART}?page=2")


@pytest.mark.parametrize("page", ["x", "-1", "9" * 30, "\x01"])
def test_a_page_that_is_none_shows_one_that_is(page: str, alice: make.Person, as_alice: Client) -> None:
    launch = make.launch(alice)
    assert launch.key in as_alice.get(PAGE, {"page": page}).content.decode()


def test_who_has_no_account_is_told_so_and_a_stranger_signs_in(client: Client, db: None) -> None:
    assert client.get(PAGE).headers["Location"].startswith(reverse("sign-in"))
    client.force_login(User.objects.create_superuser("root@example.org", make.PASSWORD))
    assert "You have no account of your own" in client.get(PAGE, follow=True).content.decode()


def test_the_page_keeps_the_strict_content_policy(alice: make.Person, as_alice: Client) -> None:
    policy = as_alice.get(PAGE).headers["Content-Security-Policy"]
    assert "unsafe" not in policy and "nonce-" in policy
