"""`tertulia login --no-browser`: by a code that the owner types at the hub."""

import pytest

from tests.client.conftest import Cli, Time
from tests.client.stub import HUB, Stub, answer, tokens

DEVICE = {
    "device_code": "device-1",
    "user_code": "WDJB-MJHT",
    "verification_uri": f"{HUB}/oauth/device",
    "expires_in": 1800,
    "interval": 5,
}


def test_without_a_browser_it_shows_a_code_and_asks_at_the_hubs_pace(hub: Stub, cli: Cli, time: Time) -> None:
    hub.signs_in().says("/oauth/device-authorization", answer(200, DEVICE))
    pending, slow = answer(400, {"error": "authorization_pending"}), answer(400, {"error": "slow_down"})
    hub.says("/oauth/token", pending, slow, pending, tokens("fresh"))
    said = cli("login", HUB, "--no-browser")
    assert said.code == 0 and "http://hub.test/oauth/device" in said.err and "WDJB-MJHT" in said.err
    assert time.naps == [5, 5, 10, 10]
    assert hub.bodies("/oauth/register")[0]["grant_types"][0] == "urn:ietf:params:oauth:grant-type:device_code"
    assert hub.forms("/oauth/token")[0]["device_code"] == "device-1" and "device-1" not in said.out + said.err


@pytest.mark.parametrize(("error", "code", "words"), [("access_denied", 5, "You refused"), ("expired_token", 1, "in time")])
def test_a_device_code_that_came_to_nothing(hub: Stub, cli: Cli, error: str, code: int, words: str) -> None:
    hub.signs_in().says("/oauth/device-authorization", answer(200, DEVICE)).says("/oauth/token", answer(400, {"error": error}))
    said = cli("login", HUB, "--no-browser")
    assert said.code == code and words in said.err


def test_a_device_code_is_not_asked_about_for_ever(hub: Stub, cli: Cli) -> None:
    hub.signs_in().says("/oauth/device-authorization", answer(200, {**DEVICE, "expires_in": 60}))
    hub.says("/oauth/token", answer(400, {"error": "authorization_pending"}))
    assert "in time" in cli("login", HUB, "--no-browser").err and len(hub.to("/oauth/token")) == 12


def test_a_code_to_be_typed_at_another_site_is_not_shown(hub: Stub, cli: Cli) -> None:
    hub.signs_in().says("/oauth/device-authorization", answer(200, {**DEVICE, "verification_uri": "http://evil.test/device"}))
    said = cli("login", HUB, "--no-browser")
    assert said.code == 1 and "evil" not in said.err and "WDJB" not in said.err
