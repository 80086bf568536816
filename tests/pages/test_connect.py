"""The first run: how an agent is connected, and the three steps that turn green."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import actions, bearer
from accounts.actions import revoke_connection
from accounts.models import Connection
from accounts.news import connections_key
from core import news
from core.actor import Door
from tests import make
from tests.asgi import run
from tests.oauth import driver

HOME, PAGE, STEPS = reverse("admin:index"), reverse("admin:connect"), reverse("admin:connect-steps")


def done(client: Client, query: str = "") -> int:
    """How many of the steps are green."""
    return client.get(STEPS + query).content.decode().count("hub-done")


def test_home_tells_how_to_connect_until_an_agent_has_called(alice: make.Person, as_alice: Client) -> None:
    assert "Connect your first agent" in as_alice.get(HOME).content.decode()
    connection = make.connection(alice)
    assert "Connect your first agent" in as_alice.get(HOME).content.decode()
    Connection.objects.filter(pk=connection.pk).update(last_used_at=timezone.now())
    page = as_alice.get(HOME).content.decode()
    assert "Connect your first agent" not in page and "Connect another agent" in page and PAGE in page


def test_the_steps_turn_green_one_after_the_other_by_the_real_way(alice: make.Person, as_alice: Client) -> None:
    browser, pair = driver.browser(), driver.pkce()
    client_id = driver.register(browser, client_name="Claude Code").json()["client_id"]
    assert done(as_alice) == 0
    code = driver.code_for(browser, alice, client_id, pair.challenge)
    assert done(as_alice) == 1
    tokens = driver.tokens_of(driver.exchange(browser, code, client_id, pair.verifier), client_id)
    assert done(as_alice) == 2
    run(bearer.actor_behind(tokens.access, Door.MCP))
    assert done(as_alice) == 3
    page = as_alice.get(STEPS).content.decode()
    assert "Claude Code" in page and tokens.connection_id in page and "Your agent is here" in page


def test_a_client_of_somebody_else_turns_nothing_green(bob: make.Person, as_alice: Client) -> None:
    Connection.objects.filter(pk=make.connection(bob).pk).update(last_used_at=timezone.now())
    assert done(as_alice) == 0


def test_a_revoked_connection_turns_nothing_green(alice: make.Person, as_alice: Client) -> None:
    revoke_connection(alice.actor, connection_id=make.connection(alice).pk)
    assert done(as_alice) == 0


def test_another_agent_is_one_that_came_since_the_page_was_opened(alice: make.Person, as_alice: Client) -> None:
    old = make.connection(alice)
    Connection.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(hours=1), last_used_at=timezone.now())
    page = as_alice.get(PAGE).content.decode()
    since = page.split(f"{STEPS}?since=")[1].split('"')[0]
    assert page.count("hub-done") == done(as_alice, f"?since={since}") == 0
    make.connection(alice)
    assert done(as_alice, f"?since={since}") == 2


@pytest.mark.parametrize("since", ["", "x", "-1", "99999999999", "9999999999", "1e3", "٣", "0"])
def test_a_moment_that_is_none_counts_as_not_given(since: str, alice: make.Person, as_alice: Client) -> None:
    make.connection(alice)
    assert done(as_alice, f"?since={since}") == 2
    assert as_alice.get(PAGE, {"since": since}).status_code == 200


def test_a_hostile_name_stays_text(alice: make.Person, as_alice: Client) -> None:
    make.connection(alice, name="<b>evil</b>\u202e" + "x" * 200)
    page = as_alice.get(STEPS).content.decode()
    assert "<b>evil" not in page and "\u202e" not in page and "x" * 100 not in page


def test_a_first_call_is_written_at_once_and_later_ones_with_the_others(alice: make.Person) -> None:
    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)
    run(bearer.actor_behind(token, Door.MCP))
    connection.refresh_from_db()
    first = connection.last_used_at
    assert first is not None
    bearer.cache.clear()
    run(bearer.actor_behind(token, Door.MCP))
    connection.refresh_from_db()
    assert connection.last_used_at == first


def test_a_first_call_that_cannot_be_written_is_let_in_all_the_same(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.errors import Busy

    def busy(**arguments: object) -> None:
        raise Busy("The hub is busy.")

    monkeypatch.setattr(actions, "note_first_use", busy)
    recorder = bearer.UsageRecorder()
    monkeypatch.setattr(bearer, "usage", recorder)
    connection = make.connection(alice)
    assert run(bearer.actor_behind(make.token(alice, connection_=connection), Door.MCP)).connection_id == connection.pk
    assert recorder.flush() == 1


@pytest.mark.django_db(transaction=True)
def test_each_change_of_a_connection_rings_its_account(alice: make.Person) -> None:
    heard: list[str] = []
    news.board.on("connections", heard.append)
    try:
        connection = make.connection(alice)
        actions.note_first_use(account_id=alice.account.pk, connection_id=connection.pk, moment=timezone.now())
        actions.note_first_use(account_id=alice.account.pk, connection_id=connection.pk, moment=timezone.now())
        revoke_connection(alice.actor, connection_id=connection.pk)
    finally:
        news.board.off("connections", heard.append)
    assert heard == [connections_key(alice.account.pk)] * 2


def test_a_first_call_by_rest_is_written_at_once_too(alice: make.Person) -> None:
    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)
    answer = driver.browser().get("/api/me/", headers={"authorization": f"Bearer {token}"})
    connection.refresh_from_db()
    assert answer.status_code == 200 and connection.last_used_at is not None
