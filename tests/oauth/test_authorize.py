"""From an authorization link to tokens."""

from django.test import Client

from accounts import bearer
from tests import make
from tests.oauth import driver


def test_a_client_registers_is_allowed_and_its_token_speaks_for_the_owner(alice: make.Person, browser: Client) -> None:
    tokens = driver.authorize(browser, alice)
    identity = bearer.authenticate(tokens.access)
    assert identity.account_id == alice.account.pk
    assert identity.connection_id == tokens.connection_id
    assert (tokens.scope, tokens.expires_in) == ("mcp", 3600)
