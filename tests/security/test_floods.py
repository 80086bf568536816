"""What one stranger or one client can make the hub keep is limited, and so is what he can try."""

import pytest
from django.test import Client
from oauth2_provider.models import AccessToken, DeviceGrant, RefreshToken

from accounts.models import Application
from accounts.oauth import usercodes, validator
from accounts.throttle import Throttle
from tests import make
from tests.oauth import driver


def test_refreshes_of_one_connection_are_limited(alice: make.Person, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each leaves a row for as long as its reuse must be noticed: a client in a loop would fill the disk."""
    monkeypatch.setattr(validator, "REFRESHES", Throttle("refresh", limit=2, seconds=3600))
    tokens, other = driver.authorize(browser, alice), driver.authorize(browser, alice)
    answers = [driver.refresh(browser, tokens) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert answers[-1].json()["error"] == "temporarily_unavailable" and int(answers[-1]["Retry-After"]) > 0
    assert RefreshToken.objects.filter(token_family=tokens.connection.token_family).count() == 3
    assert driver.refresh(browser, other).status_code == 200


def test_a_refresh_past_the_limit_spends_nothing(alice: make.Person, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = driver.authorize(browser, alice)
    monkeypatch.setattr(validator, "REFRESHES", Throttle("refresh", limit=0, seconds=3600))
    assert driver.refresh(browser, tokens).status_code == 429
    monkeypatch.undo()
    assert driver.refresh(browser, tokens).status_code == 200


def test_changing_a_registration_over_and_over_keeps_one_row(browser: Client, db: None) -> None:
    told = driver.register(browser).json()
    token = told["registration_access_token"]
    for number in range(5):
        answer = browser.put(
            f"/oauth/register/{told['client_id']}",
            {"redirect_uris": [f"http://127.0.0.1/{number}"], "token_endpoint_auth_method": "none"},
            content_type="application/json",
            headers={"authorization": f"Bearer {token}"},
        )
        token = answer.json()["registration_access_token"]
    assert (Application.objects.count(), AccessToken.objects.count()) == (1, 1)


def test_strangers_of_one_ipv6_network_share_their_registrations(db: None, settings: object) -> None:
    settings.REGISTRATIONS_PER_HOUR = 2  # type: ignore[attr-defined]
    neighbours = [Client(REMOTE_ADDR=f"2001:db8::{number}") for number in range(1, 4)]
    assert [driver.register(each).status_code for each in neighbours] == [201, 201, 429]
    assert driver.register(Client(REMOTE_ADDR="2001:db8:0:1::1")).status_code == 201


def test_a_device_code_is_not_to_be_guessed_in_its_life() -> None:
    """20 tries in ten minutes by a person and by an address, against 20 letters in eight places."""
    from accounts.oauth import device_pages

    assert len(set(usercodes.ALPHABET)) ** 8 > 2**34
    assert device_pages.TRIES.limit * (1800 / device_pages.TRIES.seconds) / len(usercodes.ALPHABET) ** 8 < 1e-8


def test_guesses_of_several_people_from_one_address_are_counted_together(alice: make.Person, bob: make.Person) -> None:
    statuses = []
    for who in (alice, bob):
        browser = Client()
        browser.force_login(who.user)
        statuses += [browser.post("/oauth/device", {"user_code": usercodes.generate()}).status_code for _ in range(11)]
    assert statuses == [400] * 20 + [429] * 2
    assert not DeviceGrant.objects.exists()
