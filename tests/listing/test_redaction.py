"""Secrets in text are masked by their shape."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.redaction import is_secret_name, mask, redact

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("token", "masked"),
    [
        pytest.param("sk-abcdefghijklmn", "***", id="O-26-17"),
        pytest.param("sk-abcdefghijklmno", "sk-abc…lmno", id="O-26-18"),
    ],
)
def test_o_26_a_short_token_is_stars_and_a_long_one_keeps_its_ends(token: str, masked: str) -> None:
    assert redact(f"the key {token} there") == (f"the key {masked} there", True)


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdefghijklmnopqrst",
        "sk-ant-api03-abcdefghijklmnop_qrstuv",
        "sk_live_abcdefghijklmnopqrstuv",
        f"ghp_{LETTERS}0123456789",
        f"github_pat_{LETTERS}",
        f"glpat-{LETTERS}",
        "xoxb-1234567890-abcdefghij",
        "xapp-1-abcdefghijkl",
        "AKIAABCDEFGHIJKLMNOP",
        f"AIza{LETTERS}012345",
        f"hf_{LETTERS}",
        f"npm_{LETTERS}",
        f"12345678:{LETTERS}abcdefghij",
        f"eyJ{LETTERS}.eyJ{LETTERS}.{LETTERS}",
        f"tr-{LETTERS}{LETTERS}",
    ],
)
def test_a_token_of_a_known_shape_is_masked_wherever_it_stands(secret: str) -> None:
    for text in (secret, f"x {secret} y", f'{{"note": "{secret}"}}', f"a,{secret},b", f"({secret})"):
        told, found = redact(text)
        assert found and secret not in told and mask(secret) in told


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password: hunter2", "hunter2"),
        ('"password": "two words"', "two words"),
        (r"{\"api_key\": \"abcdefgh\"}", "abcdefgh"),
        ("DATABASE_PASSWORD=abcdefgh", "abcdefgh"),
        ("url: token=abcdefgh", "abcdefgh"),
        ("curl --token abcdefgh", "abcdefgh"),
        ("Authorization: Bearer abcdefghijklmnopqrst", "abcdefghijklmnopqrst"),
        ("token: Bearer abcdefghijklmnopqrst", "abcdefghijklmnopqrst"),
        ("postgres://hub:pa55@db/x", "pa55"),
        ("MASTER_KEY=0123456789", "0123456789"),
        ("accessToken: abcdefgh", "abcdefgh"),
    ],
)
def test_what_stands_after_the_name_of_a_secret_is_masked(text: str, secret: str) -> None:
    told, found = redact(text)
    assert found and secret not in told


@pytest.mark.parametrize("end", ["-----END RSA PRIVATE KEY-----", ""])
def test_a_private_key_is_masked_even_without_its_end(end: str) -> None:
    told, found = redact(f"-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n{end}")
    assert found and "MIIEow" not in told and "BEGIN RSA PRIVATE KEY" in told


@pytest.mark.parametrize(
    "text",
    [
        "sessionKey: agent:main:main",
        "session_key=agent:main:main",
        "totalTokens: 1234567",
        "the task-management of a disk-drive",
        "https://example.org/a@b",
        "the token is gone: see the log",
        "x" * 5_000,
        "",
    ],
)
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == (text, False)


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("apiKey", True),
        ("x-api-key", True),
        ("Authorization", True),
        ("DB_PASSWORD", True),
        ("sessionKey", False),
        ("key", False),
    ],
)
def test_a_member_is_secret_by_its_name(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret


@given(st.text(max_size=300))
def test_what_is_not_reported_is_not_changed(text: str) -> None:
    told, found = redact(text)
    assert found == (told != text)


@given(st.text(alphabet=LETTERS + "0123456789", min_size=8, max_size=60), st.text(max_size=40), st.text(max_size=40))
def test_no_key_survives_what_stands_around_it(rest: str, before: str, after: str) -> None:
    told, found = redact(f"{before} sk-{rest} {after}")
    assert found and f"sk-{rest}" not in told


@pytest.mark.parametrize(
    "unit",
    ["token ", 'token="', "token    :    ", "eyJaaaaaaaaa.", "://a:", "sk-", "1234567:", "-----BEGIN PRIVATE KEY-----"],
)
def test_a_hostile_text_of_the_largest_size_is_read_in_a_moment(unit: str) -> None:
    text = unit * (262_144 // len(unit))
    began = time.process_time()
    redact(text)
    assert time.process_time() - began < 2
