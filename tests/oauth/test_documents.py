"""Clients that name themselves by the address of a document (client id metadata documents)."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher

from accounts import bearer
from accounts.models import Application
from accounts.oauth import clients
from tests import make
from tests.oauth import driver

pytestmark = pytest.mark.django_db
CLAUDE = "https://claude.ai/oauth/claude-code-client-metadata"
CODEX = "https://chatgpt.com/oauth/codex/client.json"
CODEX_WITH_ID = "https://chatgpt.com/oauth/codex/Ab-_09xyzABC/client.json"
PI = "https://pi.dev/oauth/client.json"
PI_WITH_ID = "https://pi.dev/oauth/Ab-_09xyzABC/client.json"
VSCODE = "https://vscode.dev/oauth/client-metadata.json"
OTHER = "https://client.example/oauth/client.json"


def document(client_id: str, **members: Any) -> dict[str, Any]:
    """A document that describes its own address."""
    return {"client_id": client_id, "client_name": "Fetched", "redirect_uris": ["http://127.0.0.1/callback"], **members}


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every address answers with a sound document; the addresses that were fetched."""
    asked: list[str] = []

    def fetch(client_id: str) -> tuple[dict[str, Any], int]:
        asked.append(client_id)
        return document(client_id), 600

    monkeypatch.setattr(clients, "fetch_document", fetch)
    return asked


def answer_with(monkeypatch: pytest.MonkeyPatch, told: dict[str, Any]) -> None:
    monkeypatch.setattr(clients, "fetch_document", lambda client_id: (told, 600))


def test_row_6_a_client_signs_in_by_its_documents_address(alice: make.Person, browser: Client, fetched: list[str]) -> None:
    tokens = driver.authorize(browser, alice, client_id=OTHER)
    assert bearer.authenticate(tokens.access).client_id == OTHER
    assert tokens.connection.client_name == "Fetched"
    assert fetched == [OTHER]


def test_row_11_a_document_is_fetched_once_while_it_is_fresh(alice: make.Person, browser: Client, fetched: list[str]) -> None:
    for _ in range(2):
        driver.authorize(browser, alice, client_id=OTHER)
    assert fetched == [OTHER]


def test_the_page_shows_where_the_client_is_described(alice: make.Person, browser: Client, fetched: list[str]) -> None:
    driver.sign_in(browser, alice)
    assert OTHER in browser.get(driver.authorize_url(OTHER, driver.pkce().challenge)).content.decode()


@pytest.mark.parametrize(
    ("client_id", "redirect_uri"),
    [
        (CLAUDE, "http://localhost:53123/callback"),
        (CLAUDE, "http://127.0.0.1:53123/callback"),
        (CODEX, "http://127.0.0.1:4000/callback"),
        (CODEX_WITH_ID, "http://127.0.0.1:4000/callback/Ab-_09xyzABC"),
        (PI, "http://127.0.0.1:4000/callback"),
        (PI_WITH_ID, "http://127.0.0.1:4000/callback/Ab-_09xyzABC"),
        (VSCODE, "http://127.0.0.1:33418/"),
        (VSCODE, "http://127.0.0.1:40123/"),
        (VSCODE, "https://vscode.dev/redirect"),
    ],
)
def test_row_8_a_known_client_signs_in_where_nothing_can_be_fetched(
    alice: make.Person, browser: Client, client_id: str, redirect_uri: str
) -> None:
    pair = driver.pkce()
    code = driver.code_for(browser, alice, client_id, pair.challenge, redirect_uri=redirect_uri)
    answer = driver.exchange(browser, code, client_id, pair.verifier, redirect_uri=redirect_uri)
    assert answer.status_code == 200


def test_what_is_fetched_wins_over_what_is_bundled(alice: make.Person, browser: Client, fetched: list[str]) -> None:
    driver.authorize(browser, alice, client_id=CLAUDE)
    assert Application.objects.get(client_id=CLAUDE).name == "Fetched"


@pytest.mark.parametrize(
    "client_id", [CODEX_WITH_ID.replace("Ab", "a/b"), CLAUDE + "/", CODEX + "?x=1", "https://pi.dev/oauth//client.json"]
)
def test_only_the_very_address_is_known(client_id: str) -> None:
    assert clients.bundled(client_id) is None


def test_row_11_an_unknown_client_whose_document_fails_gets_a_clear_page(alice: make.Person, browser: Client) -> None:
    driver.sign_in(browser, alice)
    page = browser.get(driver.authorize_url(OTHER, driver.pkce().challenge))
    assert page.status_code == 400
    assert f"The program&#x27;s description at {OTHER} could not be read" in page.content.decode()


def test_row_11_the_page_says_which_address_the_document_does_not_list(
    alice: make.Person, browser: Client, fetched: list[str]
) -> None:
    driver.sign_in(browser, alice)
    url = driver.authorize_url(CLAUDE, driver.pkce().challenge, redirect_uri="http://localhost:5000/elsewhere")
    assert "http://localhost:5000/elsewhere, an address it did not register" in browser.get(url).content.decode()


def test_nothing_is_fetched_for_a_stranger(browser: Client, fetched: list[str]) -> None:
    answer = browser.get(driver.authorize_url(OTHER, driver.pkce().challenge))
    assert answer["Location"].startswith("/sign-in/")
    driver.exchange(browser, "code", OTHER, "verifier")
    driver.post_form(browser, "/oauth/revoke", {"client_id": OTHER, "token": "x"})
    driver.post_form(browser, "/oauth/device-authorization", {"client_id": OTHER})
    assert fetched == []


def test_a_stale_document_that_cannot_be_fetched_again_still_serves(
    alice: make.Person, browser: Client, fetched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.authorize(browser, alice, client_id=OTHER)
    Application.objects.update(cimd_expires_at=timezone.now())

    def fail(client_id: str) -> Any:
        raise CIMDError("away")

    monkeypatch.setattr(clients, "fetch_document", fail)
    assert driver.authorize(browser, alice, client_id=OTHER).scope == "mcp"


def test_a_failure_is_not_tried_again_at_once(alice: make.Person, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def fail(client_id: str) -> Any:
        asked.append(client_id)
        raise CIMDError("away")

    monkeypatch.setattr(clients, "fetch_document", fail)
    driver.sign_in(browser, alice)
    for _ in range(3):
        browser.get(driver.authorize_url(OTHER, driver.pkce().challenge))
    assert asked == [OTHER]


def test_a_document_that_lists_more_grants_is_taken_for_the_code_grant(
    alice: make.Person, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
    answer_with(monkeypatch, document(VSCODE, grant_types=grants))
    assert driver.authorize(browser, alice, client_id=VSCODE).scope == "mcp"


@pytest.mark.parametrize(
    "members",
    [
        {"client_id": "https://client.example/other.json"},
        {"redirect_uris": ["http://example.org/callback"]},
        {"redirect_uris": []},
        {"redirect_uris": "http://127.0.0.1/callback"},
        {"client_secret": "x"},
        {"token_endpoint_auth_method": "client_secret_post"},
        {"grant_types": ["implicit", "password"]},
        {"client_name": ["x"]},
        {"client_name": "x" * 300},
    ],
    ids=str,
)
def test_an_unsound_document_registers_nobody(
    alice: make.Person, browser: Client, monkeypatch: pytest.MonkeyPatch, members: dict[str, Any]
) -> None:
    answer_with(monkeypatch, document(OTHER) | members)
    driver.sign_in(browser, alice)
    assert browser.get(driver.authorize_url(OTHER, driver.pkce().challenge)).status_code == 400
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "client_id",
    [
        "https://127.0.0.1:18100/client.json",
        "https://10.0.0.7/client.json",
        "https://192.168.1.1/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/client.json",
        "https://[fd00::1]/client.json",
        "https://[::ffff:10.0.0.1]/client.json",
        "https://localhost/client.json",
        "http://client.example/client.json",
        "https://user@client.example/client.json",
        "https://client.example/a/../b.json",
        "https://client.example/client.json#x",
        "https://client.example:99999/client.json",
        "https://client.example",
    ],
)
def test_the_fetcher_goes_to_no_private_or_odd_address(client_id: str) -> None:
    with pytest.raises(CIMDError):
        SafeMetadataFetcher().fetch(client_id)


def test_the_hub_uses_the_guarded_fetcher() -> None:
    import importlib

    fresh = importlib.util.module_from_spec(clients.__spec__)  # type: ignore[arg-type]
    clients.__spec__.loader.exec_module(fresh)  # type: ignore[union-attr]
    assert isinstance(fresh.fetch_document.__self__, SafeMetadataFetcher)


def test_an_address_too_long_to_keep_is_not_fetched(alice: make.Person, browser: Client, fetched: list[str]) -> None:
    driver.sign_in(browser, alice)
    long = "https://client.example/" + "x" * 260
    assert browser.get(driver.authorize_url(long, driver.pkce().challenge)).status_code == 400
    assert fetched == []
