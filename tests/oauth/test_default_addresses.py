"""Clients without metadata go to `/authorize`, `/token` and `/register` (2025-03-26, "fallbacks"), as real ones were seen to."""

import json

import pytest
from django.test import Client

from tests import make
from tests.oauth import driver

pytestmark = pytest.mark.django_db


def test_a_client_that_lost_the_metadata_refreshes_at_the_default_address(alice: make.Person) -> None:
    tokens = driver.sign_in_client(alice)
    form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh, "client_id": tokens.client_id}
    assert driver.post_form(Client(), "/token", form).json()["access_token"] != tokens.access


def test_a_client_that_found_no_metadata_registers_at_the_default_address() -> None:
    said = {"client_name": "Old", "redirect_uris": [driver.REDIRECT], "token_endpoint_auth_method": "none"}
    answer = Client().post("/register", json.dumps(said), content_type="application/json")
    assert answer.status_code == 201


def test_the_default_authorization_address_leads_to_the_consent_page_with_all_that_was_asked(browser: Client) -> None:
    asked = driver.authorize_url("a client", driver.pkce().challenge)
    answer = browser.get(asked.removeprefix("/oauth"))
    assert (answer.status_code, answer["Location"]) == (302, asked)
