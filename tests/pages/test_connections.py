"""The owner's page of connections, and the page that ends one."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.actions import revoke_connection
from accounts.models import Connection
from audit.models import Entry
from core.actor import Door
from tests import make

PAGE, PART = reverse("admin:connections"), reverse("admin:connections-part")


def revoke_page(connection_id: str) -> str:
    return reverse("admin:connection-revoke", args=[connection_id])


def test_it_shows_what_each_client_may_do_and_not_others_connections(
    alice: make.Person, bob: make.Person, as_alice: Client
) -> None:
    hers = make.connection(alice, name="Claude Code", scopes="chat.read chat.post")
    Connection.objects.filter(pk=hers.pk).update(redirect_host="127.0.0.1")
    his = make.connection(bob, name="Codex")
    page = as_alice.get(PAGE).content.decode()
    assert f'id="{hers.pk}"' in page  # the page Chat links there
    for shown in ("Claude Code", "127.0.0.1", "chat.read chat.post", hers.pk, "not yet", revoke_page(hers.pk)):
        assert shown in page
    assert his.pk not in page and "Codex" not in page


def test_working_connections_come_first_and_revoked_ones_have_no_button(alice: make.Person, as_alice: Client) -> None:
    works, ended = make.connection(alice), make.connection(alice)
    revoke_connection(alice.actor, connection_id=ended.pk)
    page = as_alice.get(PAGE).content.decode()
    assert page.index(works.pk) < page.index(ended.pk)
    assert revoke_page(works.pk) in page and revoke_page(ended.pk) not in page


def test_revoking_asks_first_then_ends_the_tokens_at_once(alice: make.Person, as_alice: Client) -> None:
    from accounts import bearer
    from core.errors import Unauthenticated

    connection = make.connection(alice)
    token = make.token(alice, connection_=connection)
    assert "Revoke the connection of" in as_alice.get(revoke_page(connection.pk)).content.decode()
    assert bearer.cache.authenticate(token).connection_id == connection.pk
    assert as_alice.post(revoke_page(connection.pk)).headers["Location"] == PAGE
    bearer.cache.clear()
    with pytest.raises(Unauthenticated):
        bearer.cache.authenticate(token)
    assert Entry.objects.get(deed="connection.revoked").door == Door.PAGE


def test_looking_at_the_question_revokes_nothing(alice: make.Person, as_alice: Client) -> None:
    connection = make.connection(alice)
    as_alice.get(revoke_page(connection.pk))
    as_alice.head(revoke_page(connection.pk))
    assert as_alice.put(revoke_page(connection.pk)).status_code == 405
    connection.refresh_from_db()
    assert connection.is_active


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("who", ["charlie", "staff"])
def test_a_foreign_an_unknown_and_a_malformed_id_answer_alike(
    who: str, method: str, alice: make.Person, as_charlie: Client, as_staff: Client
) -> None:
    connection = make.connection(alice)
    client = as_charlie if who == "charlie" else as_staff
    ids = (connection.pk, "c-0000000000000000", "é" * 300)
    answers: list[HttpResponse] = [getattr(client, method)(revoke_page(given), follow=True) for given in ids]
    assert {answer.redirect_chain[0] for answer in answers} == {(PAGE, 302)}  # type: ignore[attr-defined]
    assert all("No such connection" in answer.content.decode() for answer in answers)
    connection.refresh_from_db()
    assert connection.is_active


def test_the_anonymous_revoke_nothing(alice: make.Person, client: Client) -> None:
    connection = make.connection(alice)
    assert client.post(revoke_page(connection.pk)).headers["Location"].startswith(reverse("sign-in"))
    connection.refresh_from_db()
    assert connection.is_active


def test_a_hostile_name_is_cut_and_escaped(alice: make.Person, as_alice: Client) -> None:
    connection = make.connection(alice, name='"><img src=x onerror=alert(1)>' + "x" * 200)
    for address in (PAGE, revoke_page(connection.pk)):
        page = as_alice.get(address).content.decode()
        assert "<img src=x" not in page and "x" * 100 not in page


def test_many_connections_come_in_pages(alice: make.Person, as_alice: Client) -> None:
    for _ in range(26):
        make.connection(alice)
    first, second = (as_alice.get(PAGE, {"page": number}).content.decode() for number in (1, 2))
    assert first.count("Connection</dt>") == 25 and second.count("Connection</dt>") == 1
    assert f'{PART}?page=2"' in second and as_alice.get(PART, {"page": 2}).content.decode().count("Connection</dt>") == 1
    assert "Page 1 of 2" in first and 'href="?page=2"' in first


def test_nobody_connected_leads_to_how_to_connect(as_alice: Client) -> None:
    page = as_alice.get(PAGE).content.decode()
    assert "No client is connected yet" in page and reverse("admin:connect") in page


def messages_page(connection_id: str) -> str:
    return reverse("admin:connection-messages", args=[connection_id])


def test_each_leads_to_the_messages_that_came_through_it(alice: make.Person, as_alice: Client, settings: Any) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 0
    agent, other = make.agent(alice), make.agent(alice)
    for number in range(52):
        make.message(alice, f"word {number}.", by=agent if number else other)
    assert messages_page(agent.connection_id) in as_alice.get(PAGE).content.decode()
    first = as_alice.get(messages_page(agent.connection_id)).content.decode()
    assert first.index("word 51.") < first.index("word 50.") and "word 0." not in first and "word 1." not in first
    older = as_alice.get(messages_page(agent.connection_id), {"before": 3}).content.decode()
    assert 'href="?before=3"' in first and "word 1." in older and "word 2." not in older and "?before" not in older


def test_a_connection_without_messages_says_so(alice: make.Person, as_alice: Client) -> None:
    page = as_alice.get(messages_page(make.connection(alice).pk), {"before": "x"}).content.decode()
    assert "No message of this connection is kept" in page


@pytest.mark.parametrize("who", ["charlie", "staff"])
def test_messages_of_a_foreign_an_unknown_and_a_malformed_id_answer_alike(
    who: str, alice: make.Person, as_charlie: Client, as_staff: Client
) -> None:
    agent = make.agent(alice)
    make.message(alice, "her secret", by=agent)
    client = as_charlie if who == "charlie" else as_staff
    for given in (agent.connection_id, "c-0000000000000000", "é" * 300):
        page = client.get(messages_page(given), follow=True)
        assert "No such connection" in page.content.decode() and "her secret" not in page.content.decode()


@pytest.mark.parametrize("name", ["connections", "connections-part", "settings", "audit"])
def test_these_pages_run_no_script_of_anybody_else(name: str, as_alice: Client) -> None:
    assert "unsafe" not in as_alice.get(reverse(f"admin:{name}"))["Content-Security-Policy"]
