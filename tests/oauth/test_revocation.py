"""A client that gives a token up (RFC 7009), and an owner who takes leave back."""

import pytest
from django.test import Client

from accounts import actions, bearer
from audit.models import Entry
from core.errors import Unauthenticated
from tests import make
from tests.oauth import driver


@pytest.fixture
def tokens(alice: make.Person, browser: Client) -> driver.Tokens:
    return driver.authorize(browser, alice)


def is_shut(tokens: driver.Tokens) -> bool:
    bearer.cache.clear()
    try:
        bearer.authenticate(tokens.access)
    except Unauthenticated:
        return not tokens.connection.is_active
    return False


@pytest.mark.parametrize("which", ["access", "refresh"])
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "nonsense"])
def test_a_client_gives_up_either_token_and_its_connection_ends(
    browser: Client, tokens: driver.Tokens, which: str, hint: str | None
) -> None:
    answer = driver.revoke(browser, getattr(tokens, which), tokens.client_id, token_type_hint=hint)
    assert answer.status_code == 200
    assert is_shut(tokens)
    assert driver.refresh(browser, tokens).json()["error"] == "invalid_grant"


def test_the_log_says_that_the_client_gave_it_up(browser: Client, tokens: driver.Tokens) -> None:
    driver.revoke(browser, tokens.refresh, tokens.client_id)
    entry = Entry.objects.get(deed="connection.revoked")
    assert (entry.who, entry.door, entry.details["reason"]) == ("client Driver", "api", "the client gave it up")


def test_a_token_of_an_earlier_generation_ends_the_connection_too(browser: Client, tokens: driver.Tokens) -> None:
    driver.refresh(browser, tokens)
    driver.revoke(browser, tokens.refresh, tokens.client_id)
    assert not tokens.connection.is_active


@pytest.mark.parametrize("token", ["unknown", "x" * 4000])
def test_an_unknown_token_is_no_error(browser: Client, tokens: driver.Tokens, token: str) -> None:
    assert driver.revoke(browser, token, tokens.client_id).status_code == 200
    assert tokens.connection.is_active


def test_charlies_client_gets_the_same_answer_and_ends_nothing(browser: Client, tokens: driver.Tokens) -> None:
    other = driver.register(browser).json()["client_id"]
    foreign, unknown = driver.revoke(browser, tokens.access, other), driver.revoke(browser, "unknown", other)
    assert (foreign.status_code, foreign.content) == (unknown.status_code, unknown.content)
    assert tokens.connection.is_active


@pytest.mark.parametrize("parameters", [{"token": None}, {"client_id": None}, {"client_id": "unknown"}, {"token": "a\x00b"}])
def test_an_unsound_revocation_is_refused(browser: Client, tokens: driver.Tokens, parameters: dict[str, str | None]) -> None:
    form = {"token": tokens.access, "client_id": tokens.client_id, **parameters}
    answer = driver.post_form(browser, "/oauth/revoke", form)
    assert answer.status_code in {400, 401}
    assert answer.json()["error"] in {"invalid_request", "invalid_client"}
    assert tokens.connection.is_active


def test_revoking_twice_is_the_same_answer(browser: Client, tokens: driver.Tokens) -> None:
    answers = [driver.revoke(browser, tokens.access, tokens.client_id).status_code for _ in range(2)]
    assert answers == [200, 200]


@pytest.mark.django_db(transaction=True)
def test_a_token_the_owner_revoked_is_refused_at_once(transactional_db: None) -> None:
    alice = make.person("alice@example.org")
    tokens = driver.sign_in_client(alice)
    bearer.authenticate(tokens.access)
    actions.revoke_connection(alice.actor, connection_id=tokens.connection_id)
    with pytest.raises(Unauthenticated):
        bearer.authenticate(tokens.access)


def test_other_connections_of_the_same_client_go_on(alice: make.Person, browser: Client, tokens: driver.Tokens) -> None:
    other = driver.authorize(browser, alice, client_id=tokens.client_id)
    driver.revoke(browser, tokens.refresh, tokens.client_id)
    assert bearer.authenticate(other.access).connection_id == other.connection_id
