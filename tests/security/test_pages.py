"""Hostile text on every page: it stays text, also where a page's own scripts read attributes. And who may frame or send forms."""

from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import quote

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.models import Application, Connection
from audit.actions import record
from chat.models import Message
from tests import make
from tests.oauth import driver

HOSTILE = "\"><b canary=1>'+canary()+'</script>{{7*7}}${canary}"
SCRIPT_ATTRIBUTES = ("x-", "@", ":", "on", "hx-")
ADDRESSES = {"href", "src", "action", "hx-get", "hx-post"}


class Reader(HTMLParser):
    """Where hostile text got to: elements it made, attributes that scripts run, and the scripts themselves."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_script = tag == "script"
        for name, value in attrs:
            if name == "canary":
                self.found.append(f"<{tag}> was made")
            if name.startswith(SCRIPT_ATTRIBUTES) and name not in ADDRESSES and "canary" in (value or ""):
                self.found.append(f"{name} of <{tag}> holds it: {value}")
            if name.startswith("hx-") and name in ADDRESSES and not (value or "").startswith("/admin/"):
                self.found.append(f"{name} of <{tag}> leads away: {value}")
            if name in ADDRESSES and (value or "").strip().lower().startswith(("javascript:", "data:text")):
                self.found.append(f"{name} of <{tag}> runs: {value}")

    def handle_data(self, data: str) -> None:
        if self._in_script and "canary" in data:
            self.found.append("a script holds it")


def hostile_in(page: str) -> list[str]:
    reader = Reader()
    reader.feed(page)
    return reader.found


@pytest.fixture
def told(alice: make.Person) -> None:
    """Hostile text wherever an agent or a client may put some."""
    agent = make.agent(alice)
    make.message(alice, HOSTILE, session_name=HOSTILE[:64], by=agent)
    make.launch(alice, harness=HOSTILE[:32], command=HOSTILE, host=HOSTILE, note=HOSTILE, multiplexer_session=HOSTILE)
    Connection.objects.update(client_name=HOSTILE, redirect_host=HOSTILE, scopes=f"mcp {HOSTILE}")
    Application.objects.update(name=HOSTILE, redirect_uris=f"https://x.example/{HOSTILE}")
    record(alice.actor, "canary", target=HOSTILE, label=HOSTILE, reason=HOSTILE)


def signed_in(who: make.Person) -> Client:
    browser = Client()
    browser.force_login(who.user)
    return browser


def pages() -> Iterator[str]:
    """Every list, a search in it, and a page of each of its rows."""
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        address = reverse(f"admin:{name}_changelist")
        yield from (
            address,
            f"{address}?q={quote(HOSTILE)}",
            f"{address}?p={quote(HOSTILE)}&o={quote(HOSTILE)}&{quote(HOSTILE)}=1",
        )
        for pk in apps.get_model(model._meta.label).objects.values_list("pk", flat=True)[:3]:
            yield reverse(f"admin:{name}_change", args=[pk])
    own = ("index", "home-now", "connect", "connect-steps", "settings", "connections", "connections-part", "audit")
    yield from (reverse(f"admin:{name}") for name in own)
    yield from (f"{reverse('admin:audit')}?{name}={quote(HOSTILE)}" for name in ("door", "deed", "who", "since", "before"))
    for pk in Connection.objects.values_list("pk", flat=True):
        yield from (reverse("admin:connection-revoke", args=[pk]), reverse("admin:connection-messages", args=[pk]))
    yield from (f"{reverse('admin:search')}?s={quote(HOSTILE)}", f"/admin/connections/{quote(HOSTILE, safe='')}/revoke/")


@pytest.mark.parametrize("is_staff", [False, True], ids=["owner", "staff"])
def test_hostile_text_stays_text_on_every_admin_page(told: None, alice: make.Person, staff: make.Person, is_staff: bool) -> None:
    browser = signed_in(staff if is_staff else alice)
    seen = 0
    for address in pages():
        answer = browser.get(address, follow=True)
        page = answer.content.decode()
        seen += "canary" in page
        assert answer.status_code in {200, 400, 403, 404}, address
        assert hostile_in(page) == [], address
    assert seen > 8


@pytest.mark.parametrize(
    "address",
    [
        "/sign-in/?next={}",
        "/oauth/device?user_code={}",
        "/approve/?code={}",
        "/oauth/authorize?client_id={}",
        "/oauth/authorize?client_id={}&redirect_uri={}&scope={}&state={}",
        "/{}",
        "/admin/{}",
    ],
)
def test_hostile_text_in_an_address_stays_text(alice: make.Person, address: str) -> None:
    for browser in (driver.browser(), signed_in(alice)):
        answer = browser.get(address.replace("{}", quote(HOSTILE)), headers={"host": "127.0.0.1:8760"})
        assert answer.status_code < 500 and hostile_in(answer.content.decode()) == []


def test_the_reader_of_this_test_finds_what_it_looks_for() -> None:
    assert len(hostile_in('<a x-data="canary()"><b canary=1><script>canary</script><a href=" JavaScript:x">')) == 4


PAGES = [
    "/sign-in/",
    "/oauth/device",
    "/approve/",
    "/admin/",
    "/admin/settings/",
    "/admin/connections/",
    "/oauth/authorize",
    "/nothing",
]


@pytest.mark.parametrize("path", PAGES)
def test_no_page_may_be_framed_or_sniffed(alice: make.Person, path: str) -> None:
    answer = signed_in(alice).get(path, headers={"host": "127.0.0.1:8760"})
    assert answer["X-Frame-Options"] == "DENY" and answer["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"] and answer["Referrer-Policy"] == "same-origin"
    assert "object-src 'none'" in answer["Content-Security-Policy"] and "base-uri 'none'" in answer["Content-Security-Policy"]


def addresses(patterns: list[URLPattern | URLResolver], before: str = "/") -> Iterator[str]:
    """Every address Django answers, with a plausible text for each part that varies."""
    import re

    for each in patterns:
        route = before + str(each.pattern).removeprefix("^").removesuffix("$").removesuffix("\\Z")
        if isinstance(each, URLResolver):
            yield from addresses(each.url_patterns, route)
        else:
            yield re.sub(r"<[^>]+>|\(\?P<[^)]+\)", "1", route)


FOR_PROGRAMS = (
    *("/oauth/token", "/oauth/revoke", "/oauth/register", "/oauth/device-authorization"),
    *("/token", "/register", "/.well-known"),
)


def test_every_address_but_those_for_programs_refuses_a_form_of_another_site(alice: make.Person, staff: make.Person) -> None:
    """None of them is exempt from the token of the page; those for programs take no cookie for a proof of anything."""
    tried = 0
    browsers = driver.browser(), driver.browser()
    for browser, who in zip(browsers, (alice, staff), strict=True):
        browser.force_login(who.user)
    for address in addresses(get_resolver().url_patterns):
        if address.startswith(FOR_PROGRAMS):
            continue
        for browser in browsers:
            for headers in ({}, {"origin": "https://evil.example", "referer": "https://evil.example/"}):
                answer = browser.post(address, {"decision": "allow", "confirmed": "yes", "action": "revoke"}, headers=headers)
                assert answer.status_code in {403, 404, 405}, (address, answer.status_code)
        tried += 1
    assert tried > 40
    assert [browser.get("/admin/").status_code for browser in browsers] == [200, 200]  # nothing has signed them out meanwhile


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke", "/oauth/register", "/oauth/device-authorization"])
def test_the_endpoints_for_programs_heed_no_cookie(alice: make.Person, path: str) -> None:
    """Whatever a page of another site sends there with alice's cookies is answered as if she were nobody."""
    hers, nobody = driver.browser(), driver.browser()
    hers.force_login(alice.user)
    form = {"client_id": "x", "token": "y", "grant_type": "authorization_code", "code": "z", "redirect_uris": "[]"}
    told = [driver.post_form(browser, path, form) for browser in (hers, nobody)]
    assert told[0].content == told[1].content and told[0].status_code == told[1].status_code
    assert not told[0].cookies and "Access-Control-Allow-Credentials" not in told[0]


def test_nothing_of_alices_is_shown_to_a_page_of_another_site_that_asks_with_her_cookies(alice: make.Person) -> None:
    browser = signed_in(alice)
    for path in PAGES:
        answer = browser.get(path, headers={"host": "127.0.0.1:8760", "origin": "https://evil.example"})
        assert "Access-Control-Allow-Origin" not in answer


def test_cookies_under_https_travel_under_https_alone(tmp_path: object) -> None:
    """Settings are read once: a process of its own tells what they are at an https address."""
    import json
    import os
    import subprocess
    import sys

    names = [
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SECURE_HSTS_SECONDS",
        "SESSION_COOKIE_HTTPONLY",
        "SESSION_COOKIE_SAMESITE",
    ]
    code = f"import json; from project import settings; print(json.dumps([getattr(settings, n) for n in {names!r}]))"
    environment = {**os.environ, "TERTULIA_URL": "https://hub.example.org", "TERTULIA_HOME": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(told.stdout) == [True, True, 31_536_000, True, "Lax"]


def test_messages_are_kept_whole_in_the_database(told: None) -> None:
    assert Message.objects.get().body == HOSTILE
