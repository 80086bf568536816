"""What signing in leaves behind and when it goes."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, DeviceGrant, Grant, RefreshToken

from accounts import pruning
from accounts.models import Application, Connection
from core.actor import system
from core.registry import prunings
from tests import make
from tests.oauth import driver

LIFETIME = timedelta(days=90)


def prune(name: str, *, dry_run: bool = False) -> int:
    found = prunings.get(name)
    assert found is not None
    progress: list[int] = []
    went = found(actor=system(), dry_run=dry_run, progress=progress.append)
    assert sum(progress) == (0 if dry_run else went)
    return went


def age(seconds: float = 0, **delta: float) -> Any:
    return timezone.now() - timedelta(seconds=seconds, **delta)


@pytest.fixture
def tokens(alice: make.Person, browser: Client) -> driver.Tokens:
    return driver.authorize(browser, alice)


def test_what_is_alive_stays(tokens: driver.Tokens, browser: Client) -> None:
    fresh = driver.tokens_of(driver.refresh(browser, tokens), tokens.client_id)
    pruned = {name: prune(name) for name in ("unused connections", "spent tokens", "expired sign-ins", "unused clients")}
    assert set(pruned.values()) == {0}
    assert driver.refresh(browser, fresh).status_code == 200


def test_a_spent_refresh_token_stays_as_long_as_its_reuse_must_be_noticed(tokens: driver.Tokens, browser: Client) -> None:
    driver.refresh(browser, tokens)
    RefreshToken.objects.exclude(revoked=None).update(revoked=age(days=89))
    assert prune("spent tokens") == 0
    RefreshToken.objects.exclude(revoked=None).update(revoked=age(days=90))
    assert prune("spent tokens") == 1
    assert tokens.connection.is_active


def test_the_tokens_of_a_revoked_connection_go_after_a_day(tokens: driver.Tokens, browser: Client) -> None:
    driver.revoke(browser, tokens.refresh, tokens.client_id)
    assert prune("spent tokens") == 0
    Connection.objects.update(revoked_at=age(days=1, seconds=1))
    assert prune("spent tokens") == 1
    assert Connection.objects.count() == 1


def test_an_unused_connection_ends_and_its_tokens_go(tokens: driver.Tokens) -> None:
    AccessToken.objects.update(expires=age(days=89))
    assert prune("unused connections") == 0
    AccessToken.objects.update(expires=age(days=90))
    assert prune("unused connections") == 1
    assert not tokens.connection.is_active


def test_a_connection_with_one_live_token_among_old_ones_stays(tokens: driver.Tokens, browser: Client) -> None:
    driver.refresh(browser, tokens)
    driver.refresh(browser, tokens)
    oldest = AccessToken.objects.filter(user__isnull=False).earliest("pk")
    AccessToken.objects.filter(pk=oldest.pk).update(expires=age(days=91))
    assert prune("unused connections") == 0
    assert prune("spent tokens") == 2  # the refresh token and its access token
    assert tokens.connection.is_active


def test_a_registration_token_that_ran_out_goes(browser: Client, db: None) -> None:
    driver.register(browser)
    assert prune("spent tokens") == 0
    AccessToken.objects.update(expires=age(1))
    assert prune("spent tokens") == 1


def test_codes_device_codes_and_sessions_go_once_they_ran_out(alice: make.Person, browser: Client) -> None:
    client_id = driver.register(browser).json()["client_id"]
    driver.code_for(browser, alice, client_id, driver.pkce().challenge)
    DeviceGrant.objects.create(client_id=client_id, device_code="d", user_code="u", expires=timezone.now() + timedelta(hours=1))
    assert prune("expired sign-ins") == 0
    for model in (Grant, DeviceGrant):
        model.objects.update(expires=age(1))
    Session.objects.update(expire_date=age(1))
    sessions = Session.objects.count()
    assert sessions > 0
    assert prune("expired sign-ins") == 2 + sessions


def test_a_client_that_nobody_allowed_in_a_day_goes(browser: Client, db: None) -> None:
    driver.register(browser)
    Application.objects.update(created=age(hours=23))
    assert prune("unused clients") == 0
    Application.objects.update(created=age(hours=25))
    assert prune("unused clients") == 1
    assert not Application.objects.exists() and not AccessToken.objects.exists()


def test_a_client_that_somebody_allowed_stays_and_so_does_one_made_by_staff(tokens: driver.Tokens) -> None:
    make.application("By staff")
    Application.objects.update(created=age(days=400))
    assert prune("unused clients") == 0


@pytest.mark.parametrize("waiting", ["code", "device"])
def test_a_client_with_a_sign_in_under_way_stays(alice: make.Person, browser: Client, waiting: str) -> None:
    client_id = driver.register(browser).json()["client_id"]
    Application.objects.update(created=age(days=2))
    if waiting == "code":
        driver.code_for(browser, alice, client_id, driver.pkce().challenge)
    else:
        DeviceGrant.objects.create(
            client_id=client_id, device_code="d", user_code="u", expires=timezone.now() + timedelta(hours=1)
        )
    assert prune("unused clients") == 0


def test_a_client_by_document_goes_when_it_lapsed_and_no_connection_is_left(alice: make.Person, browser: Client) -> None:
    client_id = "https://claude.ai/oauth/claude-code-client-metadata"
    tokens = driver.authorize(browser, alice, client_id=client_id)
    Application.objects.update(cimd_expires_at=age(1))
    assert prune("unused clients") == 0
    driver.revoke(browser, tokens.refresh, client_id)
    assert prune("unused clients") == 1
    assert tokens.connection.client_name == "Claude Code"


def test_a_dry_run_counts_and_removes_nothing(browser: Client, tokens: driver.Tokens) -> None:
    driver.register(browser)
    Application.objects.update(created=age(days=2))
    AccessToken.objects.update(expires=age(days=91))
    counted = {name: prune(name, dry_run=True) for name in prunings.names() if name.startswith("unused")}
    assert counted == {"unused connections": 1, "unused clients": 1}
    assert tokens.connection.is_active
    assert Application.objects.count() == 2


def test_rows_go_in_batches(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr(pruning, "BATCH", 2)
    for number in range(5):
        Session.objects.create(session_key=f"key{number}", session_data="", expire_date=age(1))
    told: list[int] = []
    assert pruning.prune_sign_ins(actor=system(), dry_run=False, progress=told.append) == 5
    assert told == [2, 2, 1]
