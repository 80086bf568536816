"""Where a code may be sent: byte for byte what was registered, but for the port of a loopback address."""

import pytest
from django.test import Client

from accounts.oauth.redirects import form_action, is_loopback, place
from tests import make
from tests.oauth import driver

LOOPBACK = ["http://localhost/callback", "http://127.0.0.1/callback", "http://[::1]/callback"]


@pytest.fixture
def client_id(db: None, browser: Client) -> str:
    registered = [
        *LOOPBACK,
        "https://vscode.dev/redirect",
        "http://127.0.0.1:33418/",
        "cursor://anysphere.cursor-mcp/oauth/callback",
    ]
    return str(driver.register(browser, redirect_uris=registered).json()["client_id"])


def consent_status(browser: Client, who: make.Person, client_id: str, redirect_uri: str | None) -> int:
    url = driver.authorize_url(client_id, driver.pkce().challenge, redirect_uri=redirect_uri)
    driver.sign_in(browser, who)
    return int(browser.get(url).status_code)


@pytest.mark.parametrize(
    "uri",
    [
        "http://localhost:53682/callback",
        "http://127.0.0.1:1234/callback",
        "http://[::1]:9999/callback",
        "http://localhost/callback",
        "https://vscode.dev/redirect",
        "cursor://anysphere.cursor-mcp/oauth/callback",
    ],
)
def test_row_8_the_port_of_a_loopback_address_is_free(alice: make.Person, browser: Client, client_id: str, uri: str) -> None:
    assert consent_status(browser, alice, client_id, uri) == 200


def test_row_9_another_port_than_the_registered_one_is_taken_for_loopback(
    alice: make.Person, browser: Client, client_id: str
) -> None:
    assert consent_status(browser, alice, client_id, "http://127.0.0.1:40001/") == 200


@pytest.mark.parametrize(
    "uri",
    [
        "https://vscode.dev:444/redirect",
        "https://vscode.dev/redirect/",
        "https://vscode.dev/redirect?x=1",
        "https://VSCODE.dev/Redirect",
        "https://evil.example/redirect",
        "https://vscode.dev@evil.example/redirect",
        "http://localhost:53682/callback/extra",
        "http://localhost:53682/Callback",
        "http://localhost:53682/callback#x",
        "https://localhost/callback",
        "http://127.0.0.1.evil.example/callback",
        "http://localhost:99999999/callback",
        "http://localhost:abc/callback",
        "http://[::1/callback",
        "cursor://evil/oauth/callback",
        "javascript:alert(1)",
        "//evil.example",
        "/sign-in/",
        "\x00",
        None,
    ],
)
def test_row_9_everything_else_is_exact_and_a_mismatch_never_redirects(
    alice: make.Person, browser: Client, client_id: str, uri: str | None
) -> None:
    assert consent_status(browser, alice, client_id, uri) == 400


def test_row_11_the_page_says_which_address_was_refused(alice: make.Person, browser: Client, client_id: str) -> None:
    driver.sign_in(browser, alice)
    page = browser.get(driver.authorize_url(client_id, driver.pkce().challenge, redirect_uri="http://localhost:1234/other"))
    assert "http://localhost:1234/other, an address it did not register" in page.content.decode()


def test_a_single_registered_address_may_be_left_out(alice: make.Person, browser: Client) -> None:
    client_id = driver.register(browser).json()["client_id"]
    assert consent_status(browser, alice, client_id, None) == 200


@pytest.mark.parametrize(
    ("uri", "named", "source"),
    [
        ("http://127.0.0.1:8080/cb", "127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://vscode.dev/redirect", "vscode.dev", "https://vscode.dev"),
        ("http://[::1]:8080/cb", "[::1]:8080", "http:"),
        ("cursor://anysphere.cursor-mcp/cb", "cursor://anysphere.cursor-mcp", "cursor:"),
        ("http://[::1/cb", "", "'self'"),
        ("https://a.example;script-src/cb", "a.example;script-src", "https:"),
    ],
)
def test_an_address_is_named_for_people_and_for_the_content_policy(uri: str, named: str, source: str) -> None:
    assert (place(uri), form_action(uri)) == (named, source)


@pytest.mark.parametrize(("uri", "expected"), [("http://LOCALHOST/x", True), ("http://127.0.0.2/", False), ("http://[", False)])
def test_loopback_is_this_machine_by_its_three_names(uri: str, expected: bool) -> None:
    assert is_loopback(uri) is expected
