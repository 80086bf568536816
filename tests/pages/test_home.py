"""The hub's bare address, and the page Home: what happens now and what waits for the owner."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.actions import revoke_connection
from accounts.models import Connection, Launch, User
from chat import actions as chat
from chat.conversation import HourCount
from chat.cursors.actions import mark_read
from chat.models import Counter
from chat.topics_owned.actions import open_topic
from core.registry import HomeCard, home_cards
from project.home import bars
from tests import make
from tests.clock import Clock

PAGE, NOW = reverse("admin:index"), reverse("admin:home-now")


def used(connection: Connection, *, ago: timedelta = timedelta()) -> Connection:
    from core import clock

    Connection.objects.filter(pk=connection.pk).update(last_used_at=clock.now() - ago)
    return connection


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_a_person_goes_on_to_his_pages() -> None:
    answer = Client().get("/")
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


def test_a_client_that_took_it_for_the_mcp_endpoint_is_told_where_that_is() -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    answer = Client(enforce_csrf_checks=True).post("/", json.dumps(asked), content_type="application/json")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert answer.json()["detail"] == f"MCP is spoken at /mcp of this hub; use {settings.TERTULIA_RESOURCE}."


def test_it_shows_the_day_s_messages_the_busiest_topics_and_who_called(
    alice: make.Person, as_alice: Client, clock: Clock
) -> None:
    client = used(make.connection(alice, name="Claude Code"))
    used(make.connection(alice), ago=timedelta(hours=2))
    for topic in ("docs/review", "docs/review", "build"):
        make.message(alice, topic=topic, by=make.agent(alice, connection_=client))
    page = as_alice.get(PAGE).content.decode()
    shown = text_of(page)
    assert "Messages in 24 hours 3" in shown and "#3" in shown and "1 of 2" in shown
    assert page.index("?topic=docs/review".replace("/", "%2F")) < page.index("?topic=build")
    assert f"{reverse('admin:connections')}#{client.pk}" in page


def test_it_shows_nothing_of_others(bob: make.Person, alice: make.Person, as_alice: Client) -> None:
    used(make.connection(bob, name="His client"))
    make.message(bob, topic="his-topic")
    used(make.connection(alice))
    page = as_alice.get(PAGE).content.decode()
    assert "His client" not in page and "his-topic" not in page and "Messages in 24 hours 0" in text_of(page)


def test_hours_are_bars_without_script_or_style_and_a_table_for_who_cannot_see_them(alice: make.Person, as_alice: Client) -> None:
    make.message(alice)
    page = as_alice.get(NOW).content.decode()
    assert page.count('<rect class="hub-bar') == 24 + 1 and "style=" not in page and "<script" not in page
    assert page.count('<th scope="row">') == 24 and "Messages in each of the last 24 hours" in page


def test_the_busiest_hour_is_as_high_as_the_chart_and_a_quiet_one_is_still_seen() -> None:
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    drawn = bars([HourCount(begin + timedelta(hours=hour), count) for hour, count in enumerate((0, 1, 1000))])
    assert [(bar.y, bar.height) for bar in drawn] == [(100, 0), (98, 2), (0, 100)]


def test_w_33_a_switch_that_is_off_waits_for_the_owner(alice: make.Person, as_alice: Client) -> None:
    assert "Waits for you" not in as_alice.get(PAGE).content.decode()
    chat.update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    for address in (PAGE, NOW):
        page = as_alice.get(address).content.decode()
        assert "Waits for you" in page and "Agent chat is off" in page and f'href="{reverse("admin:settings")}"' in page


@pytest.mark.parametrize(("share", "told"), [(79, False), (80, True), (130, True)])
def test_storage_that_is_nearly_full_waits_for_the_owner(share: int, told: bool, alice: make.Person, as_alice: Client) -> None:
    Counter.objects.update(stored_bytes=settings.CHAT_STORAGE_BYTES * share // 100 + 1)
    assert (f"fills {min(share, 100)} % of its storage" in as_alice.get(NOW).content.decode()) is told


def test_an_account_whose_agents_are_all_gone_is_told_so(alice: make.Person, as_alice: Client) -> None:
    last = used(make.connection(alice))
    assert "No agent is connected any more" not in as_alice.get(NOW).content.decode()
    revoke_connection(alice.actor, connection_id=last.pk)
    page = as_alice.get(PAGE).content.decode()
    assert "No agent is connected any more" in page and reverse("admin:connect") in page and "first agent" not in page


def test_unread_mentions_wait_and_lead_to_the_oldest(alice: make.Person, as_alice: Client) -> None:
    first, second = (make.message(alice, "@maintainer look") for _ in range(2))
    page = as_alice.get(NOW).content.decode()
    assert "2 messages mention you" in page and f'href="{reverse("admin:chat-message", args=[first])}"' in page
    mark_read(alice.actor, {"general": first})
    page = as_alice.get(NOW).content.decode()
    assert "1 message mentions you" in page and reverse("admin:chat-message", args=[second]) in page


def test_launches_without_a_grant_wait_until_they_hold_one_or_end(alice: make.Person, bob: make.Person, as_alice: Client) -> None:
    make.launch(bob)
    make.launch(alice, start_token="")  # can never be granted
    assert "grant yet" not in as_alice.get(NOW).content.decode()
    launch, other = make.launch(alice), make.launch(alice)
    page = as_alice.get(NOW).content.decode()
    assert "2 launched agents hold no grant yet." in page and f'href="{reverse("admin:launches")}"' in page
    make.granted(alice, "lead", launch_=launch)
    assert "1 launched agent holds no grant yet." in as_alice.get(NOW).content.decode()
    Launch.objects.filter(pk=other.pk).update(ended_at=other.started_at)
    assert "grant yet" not in as_alice.get(NOW).content.decode()


def test_beginners_are_told_of_launching(as_alice: Client) -> None:
    page = " ".join(as_alice.get(PAGE).content.decode().split())
    assert "start the agent with the program tertulia" in page and reverse("admin:launches") in page


def test_an_empty_topic_of_the_owner_is_no_busy_one(alice: make.Person, as_alice: Client) -> None:
    open_topic(alice.actor, name="docs/review")
    make.connection(alice)
    assert "docs/review" not in as_alice.get(NOW).content.decode()


def test_any_app_may_add_what_waits(as_alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(home_cards._items, "test", lambda actor: [HomeCard("<b>Decide</b>", "/admin/there/", "Look")])
    page = as_alice.get(NOW).content.decode()
    assert "&lt;b&gt;Decide" in page and 'href="/admin/there/"' in page


def test_staff_find_the_lists_beneath_and_owners_do_not(as_staff: Client, as_alice: Client) -> None:
    assert "All lists" in as_staff.get(PAGE).content.decode() and "All lists" not in as_alice.get(PAGE).content.decode()


def test_staff_without_an_account_have_a_home_with_the_lists_alone(client: Client, db: None) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", make.PASSWORD))
    page = client.get(PAGE).content.decode()
    assert "You have no account of your own" in page and "All lists" in page and "Messages in 24 hours" not in page
    for name in ("home-now", "connect", "connect-steps"):
        assert client.get(reverse(f"admin:{name}")).status_code == 200


@pytest.mark.parametrize("name", ["index", "home-now", "connect", "connect-steps"])
def test_it_is_shown_to_who_is_signed_in_and_only_read(name: str, as_alice: Client) -> None:
    address = reverse(f"admin:{name}")
    assert Client().get(address)["Location"].startswith(reverse("sign-in"))
    answer = as_alice.get(address)
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert as_alice.post(address).status_code == 405
