"""Guessing at the sign-in page: nothing tells who is known, and no spelling or header buys more tries."""

import threading
from collections.abc import Callable

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts import signing_in
from accounts.throttle import client_address
from tests import make
from tests.oauth import driver

SPELLINGS = [
    "alice@example.org",
    "ALICE@EXAMPLE.ORG",
    " alice@example.org ",
    "al\u0131ce@example.org",
    "Alice@Example.org\t",
    "AL\u0131CE@EXAMPLE.ORG",
]


def try_(browser: Client, email: str, password: str = "wrong", **headers: str) -> int:
    page = browser.get(reverse("sign-in")).content.decode()
    form = {**driver.fields(page), "email": email, "password": password}
    return browser.post(reverse("sign-in"), form, headers=headers).status_code


def test_no_spelling_of_an_address_gets_tries_of_its_own(alice: make.Person, browser: Client) -> None:
    statuses = [try_(browser, SPELLINGS[number % len(SPELLINGS)]) for number in range(10)]
    assert statuses == [400] * 10
    assert [try_(browser, spelling, make.PASSWORD) for spelling in SPELLINGS] == [429] * len(SPELLINGS)


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip", "client-ip", "true-client-ip", "via"])
def test_no_header_makes_one_machine_look_like_another(alice: make.Person, browser: Client, header: str) -> None:
    for number in range(50):
        assert try_(browser, f"nobody{number}@example.org", **{header: f"192.0.2.{number}"}) == 400
    assert try_(browser, "alice@example.org", make.PASSWORD, **{header: "198.51.100.1"}) == 429


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("192.0.2.1", "192.0.2.1"),
        ("", "unknown"),
        ("not an address", "not an address"),
    ],
)
def test_the_neighbours_of_an_ipv6_address_are_counted_as_one(given: str, counted: str) -> None:
    assert client_address(RequestFactory().get("/", REMOTE_ADDR=given)) == counted


@pytest.fixture
def hashings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every password that is hashed: the work that takes the time."""
    done: list[str] = []
    encode: Callable[..., str] = MD5PasswordHasher.encode

    def counted(self: MD5PasswordHasher, password: str, salt: str) -> str:
        done.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    return done


def test_an_unknown_a_wrong_and_a_switched_off_sign_in_cost_the_same_and_say_the_same(
    alice: make.Person, bob: make.Person, hashings: list[str]
) -> None:
    bob.user.is_active = False
    bob.user.save()
    answers = []
    for email in ("alice@example.org", "bob@example.org", "nobody@example.org"):
        hashings.clear()
        browser = driver.browser()
        page = driver.fields(browser.get(reverse("sign-in")).content.decode())
        answer = browser.post(reverse("sign-in"), {**page, "email": email, "password": "wrong password"})
        text = answer.content.decode().replace(email, "EMAIL")
        answers.append((answer.status_code, len(hashings), [line for line in text.splitlines() if "csrf" not in line]))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][:2] == (400, 1)


def test_passwords_are_looked_at_two_at_a_time_and_the_next_waits(
    alice: make.Person, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes 100 MiB with argon2: a flood of strangers must not take all there is."""
    monkeypatch.setattr(signing_in, "HASHING_PATIENCE", 0.01)
    monkeypatch.setattr(signing_in, "HASHINGS", threading.BoundedSemaphore(2))
    with signing_in.HASHINGS, signing_in.HASHINGS:
        assert try_(browser, alice.user.email, make.PASSWORD) == 503
    assert try_(browser, alice.user.email, make.PASSWORD) == 302


def test_a_refused_try_gives_its_place_back(alice: make.Person, browser: Client) -> None:
    assert [try_(browser, alice.user.email) for _ in range(5)] == [400] * 5
    assert signing_in.HASHINGS._value == 2


def test_counters_are_not_pushed_out_by_a_flood_of_others() -> None:
    from project import settings

    kept = settings.CACHES["default"]
    assert kept["BACKEND"].endswith("RedisCache") or kept["OPTIONS"]["MAX_ENTRIES"] >= 100_000
