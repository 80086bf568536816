"""The consent page: what it shows, what it takes for an answer, whom it refuses."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from oauth2_provider.models import Grant

from accounts import bearer
from accounts.models import Connection, User
from tests import make
from tests.oauth import driver


@pytest.fixture
def client_id(db: None, browser: Client) -> str:
    return str(driver.register(browser, client_name="Claude Code (hub)").json()["client_id"])


def page_of(browser: Client, who: make.Person, url: str) -> str:
    driver.sign_in(browser, who)
    answer = browser.get(url)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_the_page_names_client_redirect_scopes_and_account(alice: make.Person, browser: Client, client_id: str) -> None:
    page = page_of(browser, alice, driver.authorize_url(client_id, driver.pkce().challenge, scope="mcp chat.read"))
    assert "Claude Code (hub)" in page and "as the program itself says" in page
    assert "127.0.0.1:18103" in page
    assert "alice@example.org" in page
    assert "Use every tool of this hub, present and future, for this account" in page
    assert "<code>chat.read</code>" in page


def test_the_page_warns_that_any_program_of_the_machine_may_ask_by_loopback(
    alice: make.Person, browser: Client, client_id: str
) -> None:
    warning = "Any program on that machine could be asking"
    assert warning in page_of(browser, alice, driver.authorize_url(client_id, driver.pkce().challenge))
    web = driver.register(browser, redirect_uris=["https://web.example/cb"]).json()["client_id"]
    url = driver.authorize_url(web, driver.pkce().challenge, redirect_uri="https://web.example/cb")
    assert warning not in page_of(browser, alice, url)


def test_what_a_client_calls_itself_is_shown_as_text(alice: make.Person, browser: Client) -> None:
    name = "<script>alert(1)</script>\u202e evil"
    client_id = driver.register(browser, client_name=name).json()["client_id"]
    page = page_of(browser, alice, driver.authorize_url(client_id, driver.pkce().challenge))
    assert "<script>" not in page and "\u202e" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_an_unnamed_client_is_called_so(alice: make.Person, browser: Client) -> None:
    client_id = driver.register(browser, client_name="").json()["client_id"]
    assert "An unnamed client" in page_of(browser, alice, driver.authorize_url(client_id, driver.pkce().challenge))


def test_the_policy_of_the_page_lets_the_answer_lead_to_the_client_and_nowhere_else(
    alice: make.Person, browser: Client, client_id: str
) -> None:
    driver.sign_in(browser, alice)
    policy = browser.get(driver.authorize_url(client_id, driver.pkce().challenge))["Content-Security-Policy"]
    directives = dict(each.strip().split(" ", 1) for each in policy.split(";"))
    assert set(directives["form-action"].split()) == {"'self'", "http://127.0.0.1:18103"}
    assert "unsafe" not in directives["script-src"] + directives["style-src"]
    assert directives["frame-ancestors"] == "'none'"


def test_no_page_for_people_holds_an_inline_script_or_style(alice: make.Person, browser: Client, client_id: str) -> None:
    page = page_of(browser, alice, driver.authorize_url(client_id, driver.pkce().challenge))
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=", page)


def test_the_page_is_kept_in_no_cache(alice: make.Person, browser: Client, client_id: str) -> None:
    driver.sign_in(browser, alice)
    assert "no-store" in browser.get(driver.authorize_url(client_id, driver.pkce().challenge))["Cache-Control"]


def test_allow_sends_code_state_and_issuer(alice: make.Person, browser: Client, client_id: str) -> None:
    answer = driver.consent(browser, alice, driver.authorize_url(client_id, driver.pkce().challenge))
    assert answer["Location"].startswith(f"{driver.REDIRECT}?")
    told = driver.answer(answer)
    assert set(told) == {"code", "state", "iss"}
    assert (told["state"], told["iss"]) == ("a state", settings.TERTULIA_URL)


def test_deny_sends_access_denied_state_and_issuer_and_opens_nothing(alice: make.Person, browser: Client, client_id: str) -> None:
    url = driver.authorize_url(client_id, driver.pkce().challenge)
    told = driver.answer(driver.consent(browser, alice, url, decision="deny"))
    assert (told["error"], told["state"], told["iss"]) == ("access_denied", "a state", settings.TERTULIA_URL)
    assert not Grant.objects.exists() and not Connection.objects.exists()


@pytest.mark.parametrize("decision", ["", "maybe", "ALLOW"])
def test_anything_but_allow_allows_nothing(alice: make.Person, browser: Client, client_id: str, decision: str) -> None:
    answer = driver.consent(browser, alice, driver.authorize_url(client_id, driver.pkce().challenge), decision=decision)
    assert answer.status_code == 400
    assert not Grant.objects.exists()


def test_a_form_without_its_csrf_token_allows_nothing(alice: make.Person, browser: Client, client_id: str) -> None:
    url = driver.authorize_url(client_id, driver.pkce().challenge)
    driver.sign_in(browser, alice)
    answer = browser.post(url, {"decision": "allow"})
    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()
    assert not Grant.objects.exists()


def test_fields_of_the_form_change_nothing_of_what_was_shown(alice: make.Person, browser: Client, client_id: str) -> None:
    url = driver.authorize_url(client_id, driver.pkce().challenge, scope="chat.read")
    page = page_of(browser, alice, url)
    other = {"scope": "mcp", "redirect_uri": "https://evil.example/cb", "client_id": "other", "code_challenge": "x", "nonce": "n"}
    answer = browser.post(url, {**driver.fields(page), **other, "decision": "allow"})
    assert answer["Location"].startswith(f"{driver.REDIRECT}?code=")
    assert Grant.objects.get().scope == "chat.read"


def test_a_stranger_signs_in_first_and_comes_back(browser: Client, client_id: str) -> None:
    url = driver.authorize_url(client_id, driver.pkce().challenge)
    answer = browser.get(url)
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("sign-in"))
    assert parse_qs(urlsplit(answer["Location"]).query)["next"] == [url]


def test_a_stranger_cannot_allow(browser: Client, client_id: str) -> None:
    url = driver.authorize_url(client_id, driver.pkce().challenge)
    page = browser.get(reverse("sign-in")).content.decode()
    answer = browser.post(url, {**driver.fields(page), "decision": "allow"})
    assert answer["Location"].startswith(reverse("sign-in"))
    assert not Grant.objects.exists()


def test_prompt_none_tells_the_client_that_nobody_is_signed_in(browser: Client, client_id: str) -> None:
    told = driver.answer(browser.get(driver.authorize_url(client_id, driver.pkce().challenge, prompt="none")))
    assert (told["error"], told["iss"]) == ("login_required", settings.TERTULIA_URL)


def test_prompt_login_asks_for_the_password_once_more(alice: make.Person, browser: Client, client_id: str) -> None:
    driver.sign_in(browser, alice)
    answer = browser.get(driver.authorize_url(client_id, driver.pkce().challenge, prompt="login"))
    assert answer["Location"].startswith(reverse("sign-in"))
    assert "prompt" not in answer["Location"]


def test_prompt_consent_is_what_happens_anyway(alice: make.Person, browser: Client, client_id: str) -> None:
    assert page_of(browser, alice, driver.authorize_url(client_id, driver.pkce().challenge, prompt="consent"))


def test_consent_is_asked_each_time(alice: make.Person, browser: Client, client_id: str) -> None:
    driver.authorize(browser, alice, client_id=client_id)
    assert "Allow" in page_of(browser, alice, driver.authorize_url(client_id, driver.pkce().challenge, approval_prompt="auto"))


def test_staff_without_an_account_are_told_why_they_cannot_consent(browser: Client, client_id: str) -> None:
    user = User.objects.create_superuser("root@example.org", make.PASSWORD)
    browser.force_login(user)
    answer = browser.get(driver.authorize_url(client_id, driver.pkce().challenge))
    assert answer.status_code == 403
    assert "have no account of your own on this hub" in answer.content.decode()


def test_charlies_consent_speaks_for_charlie_whatever_link_alice_sent_him(
    alice: make.Person, charlie: make.Person, browser: Client, client_id: str
) -> None:
    tokens = driver.authorize(driver.browser(), charlie, client_id=client_id)
    assert bearer.authenticate(tokens.access).account_id == charlie.account.pk
    assert not Connection.objects.filter(account=alice.account).exists()


def test_charlies_page_cannot_answer_in_alices_session(
    alice: make.Person, charlie: make.Person, browser: Client, client_id: str
) -> None:
    url = driver.authorize_url(client_id, driver.pkce().challenge)
    charlies = page_of(driver.browser(), charlie, url)
    driver.sign_in(browser, alice)
    answer = browser.post(url, {**driver.fields(charlies), "decision": "allow"})
    assert answer.status_code == 403
    assert not Grant.objects.exists()


# --- requests that are not sound --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "S512"}, "invalid_request"),
        ({"code_challenge": "too short"}, "invalid_request"),
        ({"code_challenge": "x" * 129}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "none"}, "unsupported_response_type"),
        ({"response_type": "code id_token"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"scope": "mcp offline_access"}, "invalid_scope"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"resource": "not an address"}, "invalid_target"),
    ],
    ids=str,
)
def test_the_client_is_told_with_its_state_and_our_issuer_before_anybody_signs_in(
    browser: Client, client_id: str, parameters: dict[str, str | None], error: str
) -> None:
    answer = browser.get(driver.authorize_url(client_id, driver.pkce().challenge, **parameters))
    told = driver.answer(answer)
    assert answer["Location"].startswith(f"{driver.REDIRECT}?")
    assert (told["error"], told["state"], told["iss"]) == (error, "a state", settings.TERTULIA_URL)


@pytest.mark.parametrize(
    "parameters",
    [
        {"client_id": None},
        {"client_id": "unknown"},
        {"client_id": "a\x00b"},
        {"client_id": "x" * 301},
        {"redirect_uri": "x" * 3000},
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_link_of_no_known_client_shows_a_page_and_redirects_nowhere(
    browser: Client, client_id: str, parameters: dict[str, str | None]
) -> None:
    answer = browser.get(driver.authorize_url(client_id, driver.pkce().challenge, **parameters))
    assert answer.status_code == 400
    assert "That did not work" in answer.content.decode()


def test_a_parameter_given_twice_is_refused(browser: Client, client_id: str) -> None:
    url = driver.authorize_url(client_id, driver.pkce().challenge) + "&client_id=other"
    assert browser.get(url).status_code == 400


@pytest.mark.parametrize("query", ["", "%zz", "client_id=%", "a;b", "client_id=\xff", "&&&", "client_id[]=1", "=" * 300])
def test_a_malformed_link_is_a_page(db: None, browser: Client, query: str) -> None:
    assert browser.get(f"{reverse('oauth2_provider:authorize')}?{query}").status_code == 400


@hypothesis_settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parameters=st.dictionaries(
        st.sampled_from(
            [
                "client_id",
                "redirect_uri",
                "scope",
                "state",
                "response_type",
                "code_challenge",
                "resource",
                "prompt",
                "nonce",
                "claims",
            ]
        ),
        st.text(max_size=30),
    )
)
def test_no_link_makes_the_hub_fail(client_id: str, parameters: dict[str, str]) -> None:
    url = driver.authorize_url(client_id, driver.pkce().challenge, **parameters)
    assert driver.browser().get(url).status_code in {200, 302, 400}


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_other_methods_are_refused(alice: make.Person, client_id: str, method: str) -> None:
    client = Client()
    client.force_login(alice.user)
    assert getattr(client, method)(driver.authorize_url(client_id, driver.pkce().challenge)).status_code == 405


@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_what_goes_back_to_the_client_spells_a_space_without_a_plus(
    alice: make.Person, browser: Client, client_id: str, decision: str
) -> None:
    url = driver.authorize_url(client_id, driver.pkce().challenge, state="a b+c")
    answer = driver.consent(browser, alice, url, decision=decision)
    assert "state=a%20b%2Bc" in answer["Location"]
    assert "+" not in urlsplit(answer["Location"]).query
    assert driver.answer(answer)["state"] == "a b+c"
