"""Redirect addresses that look like one place and lead to another: refused at registration, in documents, and by staff."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Application
from accounts.oauth import clients
from accounts.oauth.redirects import check_redirect_uris, form_action, is_plain, place
from tests import make
from tests.oauth import driver

pytestmark = pytest.mark.django_db
TRICKS = [
    *("https://good.example@evil.example/cb", "https://user:pw@evil.example/cb", "http://127.0.0.1@evil.example/cb"),
    *("http://localhost:80@evil.example/cb", "https://evil.example\\@good.example/cb", "https://evil.example\\.good.example/cb"),
    *(
        "https://evil.example\\/good.example/cb",
        "https:\\\\evil.example/cb",
        "https:/evil.example/cb",
        "https:///evil.example/cb",
    ),
    *("https://evil.example,good.example/cb", "https://evil.example;good.example/cb", "https://evil.example%2f.good.example/cb"),
    *("https://evil.example%00.good.example/cb", "https://evil.example%40good.example/cb", "https://evil.example:80:90/cb"),
    *(
        "http://127.0.0.1.evil.example/cb",
        "http://localhost.evil.example/cb",
        "http://localhost./cb",
        "http://localhost\u3002/cb",
    ),
    *(
        "http://127.1/cb",
        "http://0x7f.1/cb",
        "http://2130706433/cb",
        "http://127.0.0.1\u2024evil.example/cb",
        "http://0.0.0.0/cb",
    ),
    *("http://[::ffff:127.0.0.1]/cb", "http://[::1%25eth0]/cb", "http://[::]/cb", "http://[::1]evil.example/cb"),
    *("https://evil.example/cb#x", "https://evil.example/cb#", "https://*.evil.example/cb", "https://ev\u0456l.example/cb"),
    *("javascript:alert(1)", "JavaScript://x/%0aalert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "about:blank"),
    *(
        "blob:https://x.example/y",
        "ftp://x.example/",
        "ws://127.0.0.1/cb",
        "cursor://a@b/cb",
        "vscode://a\\b/cb",
        "cursor:",
        "//x/cb",
    ),
]


@pytest.mark.parametrize("uri", TRICKS)
def test_a_trick_is_not_registered(browser: Client, uri: str) -> None:
    answer = driver.register(browser, redirect_uris=[uri])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")
    assert not Application.objects.exists()


@pytest.mark.parametrize("uri", TRICKS)
def test_a_document_with_a_trick_registers_nobody(
    alice: make.Person, browser: Client, monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    address = "https://client.example/client.json"
    document: dict[str, Any] = {"client_id": address, "client_name": "x", "redirect_uris": [uri]}
    monkeypatch.setattr(clients, "fetch_document", lambda client_id: (document, 600))
    browser.force_login(alice.user)
    assert browser.get(driver.authorize_url(address, driver.pkce().challenge, redirect_uri=uri)).status_code == 400
    assert not Application.objects.exists()


@pytest.mark.parametrize("uri", ["https://evil.example\\.good.example/cb", "https://good.example@evil.example/cb"])
def test_staff_are_told_that_an_address_hides_where_it_leads(staff: make.Person, uri: str) -> None:
    from accounts.actions import register_application
    from core.errors import Invalid

    with pytest.raises(Invalid, match="hides where it leads"):
        register_application(staff.actor, name="x", redirect_uris=uri)


REGISTERED = ["http://127.0.0.1/callback", "http://localhost/callback", "http://[::1]/callback", "https://good.example/callback"]
REQUESTED = [
    *(
        "http://127.0.0.1@evil.example/callback",
        "http://127.0.0.1:80@evil.example/callback",
        "http://127.0.0.1.evil.example/callback",
    ),
    *(
        "http://127.0.0.1\\.evil.example/callback",
        "http://127.0.0.1\\@evil.example/callback",
        "http://evil.example\\@127.0.0.1/callback",
    ),
    *(
        "http://127.0.0.1/callback/..%2f..",
        "http://127.0.0.1/callback;x=1",
        "http://127.0.0.1/callback?x",
        "http://127.0.0.1/callback#",
    ),
    *("http://127.0.0.1/%63allback", "http://127.0.0.1//callback", "http://127.0.0.1/./callback", "http://127.0.0.2/callback"),
    *("http://localhost./callback", "http://LOCALHOST.evil.example/callback", "http://[::1]:1@evil.example/callback"),
    *(
        "http://[::1%25lo]/callback",
        "http://[0:0:0:0:0:0:0:1]/callback",
        "https://good.example./callback",
        "https://good.example:444/callback",
    ),
    *("https://good.example%2f@evil.example/callback", "https://good.example\t/callback", "https://good.example /callback"),
    *("https://good.exa\nmple/callback", "http\r://127.0.0.1/callback"),
    *(" https://good.example/callback", "https://good.example/callback\n", "https://good.example/callback%0d%0aX:y"),
    *("https://good.example\u200b/callback", "ht\ttps://good.example/callback", "javascript://good.example/callback"),
]


@pytest.mark.parametrize("uri", REQUESTED)
def test_no_spelling_of_a_registered_address_leads_elsewhere(alice: make.Person, browser: Client, uri: str) -> None:
    client_id = driver.register(browser, redirect_uris=REGISTERED).json()["client_id"]
    browser.force_login(alice.user)
    answer = browser.get(driver.authorize_url(client_id, driver.pkce().challenge, redirect_uri=uri))
    assert answer.status_code == 400 and "Location" not in answer


@given(st.text(alphabet="ae.:/\\@[]%#?-_~;,'\" 1\t\n\u200b", max_size=30))
def test_what_is_taken_names_its_host_for_browser_policy_and_person_alike(rest: str) -> None:
    uri = f"https://{rest}"
    try:
        check_redirect_uris([uri])
    except ValidationError:
        assert not is_plain(uri)
        return
    shown = place(uri)
    assert set(shown) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-:[]") and shown
    assert form_action(uri) in {f"https://{shown}", "https:"}


def test_every_address_clients_were_seen_to_use_is_plain() -> None:
    seen = [
        *("http://127.0.0.1:33418/", "http://localhost:53682/callback", "http://[::1]:9/cb", "https://vscode.dev/redirect"),
        *("cursor://anysphere.cursor-mcp/oauth/callback", "vscode://vscode.github-authentication/did", "vscode-insiders://a.b/c"),
        *("https://insiders.vscode.dev/redirect", "https://claude.ai/api/mcp/auth_callback", "cursor:/oauth"),
    ]
    check_redirect_uris(seen)
