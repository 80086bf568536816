"""Refreshing: rotation, two minutes of grace for processes that share a token, and an end when one is stolen."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, RefreshToken

from accounts import actions, bearer
from accounts.models import Connection
from audit.models import Entry
from core.errors import Unauthenticated
from core.news import board
from tests import make
from tests.oauth import driver

GRACE = settings.OAUTH2_PROVIDER["REFRESH_TOKEN_GRACE_PERIOD_SECONDS"]


@pytest.fixture
def tokens(alice: make.Person, browser: Client) -> driver.Tokens:
    return driver.authorize(browser, alice)


def refreshed(client: Client, tokens: driver.Tokens, **parameters: Any) -> driver.Tokens:
    return driver.tokens_of(driver.refresh(client, tokens, **parameters), tokens.client_id)


def opens(access: str) -> bool:
    try:
        bearer.authenticate(access)
    except Unauthenticated:
        return False
    return True


def let_time_pass(seconds: float) -> None:
    """As if every rotation so far had been that much earlier."""
    for held in RefreshToken.objects.exclude(revoked=None):
        RefreshToken.objects.filter(pk=held.pk).update(revoked=held.revoked - timedelta(seconds=seconds))


def test_a_refresh_gives_new_tokens_of_the_same_connection(browser: Client, tokens: driver.Tokens) -> None:
    fresh = refreshed(browser, tokens)
    assert (fresh.access, fresh.refresh) != (tokens.access, tokens.refresh)
    assert bearer.authenticate(fresh.access).connection_id == tokens.connection_id
    assert Connection.objects.count() == 1


def test_row_13_a_second_refresh_with_the_same_token_gets_working_tokens_too(browser: Client, tokens: driver.Tokens) -> None:
    first, second = refreshed(browser, tokens), refreshed(browser, tokens)
    assert opens(first.access) and opens(second.access)
    assert opens(refreshed(browser, first).access) and opens(refreshed(browser, second).access)


def test_row_14_a_burst_of_refreshes_within_two_minutes_revokes_nothing(browser: Client, tokens: driver.Tokens) -> None:
    for _ in range(8):
        let_time_pass(14)
        assert opens(refreshed(browser, tokens).access)
    assert tokens.connection.is_active
    assert GRACE == 120


def test_row_16_a_token_some_generations_old_is_taken_within_the_grace(browser: Client, tokens: driver.Tokens) -> None:
    generation = tokens
    for _ in range(4):
        generation = refreshed(browser, generation)
    assert opens(refreshed(browser, tokens).access)
    assert opens(refreshed(browser, generation).access)
    assert tokens.connection.is_active


def test_row_18_a_refresh_without_resource_stays_bound_to_this_hub(browser: Client, tokens: driver.Tokens) -> None:
    fresh = refreshed(browser, tokens)
    assert opens(fresh.access)
    assert AccessToken.objects.filter(user__isnull=False).latest("pk").resource == [settings.TERTULIA_RESOURCE]


def test_row_19_a_refresh_for_origin_and_path_is_taken(browser: Client, tokens: driver.Tokens) -> None:
    assert opens(refreshed(browser, tokens, resource=[settings.TERTULIA_URL, settings.TERTULIA_RESOURCE]).access)


def test_a_refresh_for_another_resource_is_refused_and_the_token_is_still_good(browser: Client, tokens: driver.Tokens) -> None:
    answer = driver.refresh(browser, tokens, resource="https://elsewhere.example/mcp")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_target")
    assert opens(refreshed(browser, tokens).access)


def test_a_narrower_refresh_does_not_narrow_the_next(alice: make.Person, browser: Client) -> None:
    tokens = driver.authorize(browser, alice, scopes="chat.read chat.post")
    narrow = refreshed(browser, tokens, scope="chat.read")
    assert narrow.scope == "chat.read"
    assert set(refreshed(browser, narrow).scope.split()) == {"chat.read", "chat.post"}


def test_a_refresh_cannot_widen_what_was_allowed(alice: make.Person, browser: Client) -> None:
    tokens = driver.authorize(browser, alice, scopes="chat.read")
    assert driver.refresh(browser, tokens, scope="mcp").json()["error"] == "invalid_scope"


def test_reuse_after_the_grace_ends_the_whole_connection_and_says_so(browser: Client, tokens: driver.Tokens) -> None:
    fresh = refreshed(browser, tokens)
    let_time_pass(GRACE + 1)
    answer = driver.refresh(browser, tokens)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    bearer.cache.clear()
    assert not opens(fresh.access)
    assert driver.refresh(browser, fresh).json()["error"] == "invalid_grant"
    entry = Entry.objects.get(deed="connection.revoked")
    assert (entry.target, entry.details["reason"]) == (tokens.connection_id, "a spent refresh token was used again")


def test_reuse_by_another_client_after_the_grace_ends_the_connection_too(browser: Client, tokens: driver.Tokens) -> None:
    refreshed(browser, tokens)
    let_time_pass(GRACE + 1)
    other = driver.register(browser).json()["client_id"]
    assert driver.refresh(browser, tokens, client_id=other).json()["error"] == "invalid_grant"
    assert not tokens.connection.is_active


def test_another_client_cannot_refresh(browser: Client, tokens: driver.Tokens) -> None:
    other = driver.register(browser).json()["client_id"]
    assert driver.refresh(browser, tokens, client_id=other).json()["error"] == "invalid_grant"
    assert opens(refreshed(browser, tokens).access)


def test_no_refresh_after_the_owner_revoked_not_even_within_the_grace(
    alice: make.Person, browser: Client, tokens: driver.Tokens
) -> None:
    fresh = refreshed(browser, tokens)
    actions.revoke_connection(alice.actor, connection_id=tokens.connection_id)
    assert [driver.refresh(browser, each).json()["error"] for each in (tokens, fresh)] == ["invalid_grant"] * 2
    assert Entry.objects.filter(deed="connection.revoked").count() == 1


def test_a_user_who_was_switched_off_cannot_refresh(alice: make.Person, browser: Client, tokens: driver.Tokens) -> None:
    alice.user.is_active = False
    alice.user.save()
    assert driver.refresh(browser, tokens).json()["error"] == "invalid_grant"


def test_a_refresh_token_dies_of_disuse(browser: Client, tokens: driver.Tokens) -> None:
    lifetime = settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"]
    AccessToken.objects.update(expires=timezone.now() - timedelta(seconds=lifetime - 60))
    tokens = refreshed(browser, tokens)
    AccessToken.objects.update(expires=timezone.now() - timedelta(seconds=lifetime))
    assert driver.refresh(browser, tokens).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("token", ["", "unknown", "x" * 5000, "a\x00b", None])
def test_an_unknown_refresh_token_is_refused(browser: Client, tokens: driver.Tokens, token: str | None) -> None:
    answer = driver.refresh(browser, tokens, refresh_token=token)
    assert answer.status_code == 400
    assert answer.json()["error"] in {"invalid_grant", "invalid_request"}


def test_an_access_token_refreshes_nothing(browser: Client, tokens: driver.Tokens) -> None:
    assert driver.refresh(browser, tokens, refresh_token=tokens.access).json()["error"] == "invalid_grant"


@pytest.mark.django_db(transaction=True)
def test_row_13_refreshes_at_once_all_succeed(transactional_db: None) -> None:
    alice = make.person("alice@example.org")
    tokens = driver.sign_in_client(alice)
    gate = threading.Barrier(4)

    def one() -> Any:
        gate.wait(timeout=10)
        try:
            return driver.refresh(driver.browser(), tokens)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        answers = [future.result(timeout=60) for future in [pool.submit(one) for _ in range(4)]]
    assert [answer.status_code for answer in answers] == [200] * 4
    assert all(opens(answer.json()["access_token"]) for answer in answers)
    assert tokens.connection.is_active


@pytest.mark.django_db(transaction=True)
def test_a_refresh_and_a_revocation_at_once_leave_nothing_alive(transactional_db: None) -> None:
    alice = make.person("alice@example.org")
    tokens = driver.sign_in_client(alice)
    gate = threading.Barrier(2)

    def at_once(deed: Any) -> Any:
        gate.wait(timeout=10)
        try:
            return deed()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        refreshing = pool.submit(at_once, lambda: driver.refresh(driver.browser(), tokens))
        pool.submit(at_once, lambda: actions.revoke_connection(alice.actor, connection_id=tokens.connection_id)).result(
            timeout=60
        )
        answer = refreshing.result(timeout=60)
    assert answer.status_code in {200, 400}
    bearer.cache.clear()
    assert not opens(tokens.access)
    assert not (answer.status_code == 200 and opens(answer.json()["access_token"]))
    assert not RefreshToken.objects.filter(revoked=None).exists()


@pytest.mark.django_db(transaction=True)
def test_exchanges_of_one_code_at_once_give_tokens_to_one(transactional_db: None) -> None:
    alice = make.person("alice@example.org")
    browser = driver.browser()
    client_id = driver.register(browser).json()["client_id"]
    pair = driver.pkce()
    code = driver.code_for(browser, alice, client_id, pair.challenge)
    gate = threading.Barrier(3)

    def one() -> int:
        gate.wait(timeout=10)
        try:
            return int(driver.exchange(driver.browser(), code, client_id, pair.verifier).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        statuses = sorted(future.result(timeout=60) for future in [pool.submit(one) for _ in range(3)])
    assert statuses == [200, 400, 400]
    assert Connection.objects.count() == 1
    assert AccessToken.objects.filter(user=alice.user).count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_news_of_reuse_rings_for_whoever_waits_on_the_connection(transactional_db: None) -> None:
    alice = make.person("alice@example.org")
    tokens = driver.sign_in_client(alice)
    refreshed(driver.browser(), tokens)
    let_time_pass(GRACE + 1)
    heard: list[str] = []
    board.on("connection", heard.append)
    try:
        driver.refresh(driver.browser(), tokens)
    finally:
        board.off("connection", heard.append)
    assert heard == [actions.connection_key(tokens.connection_id)]
