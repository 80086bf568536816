"""What the log says, and what it never says."""

import io
import json
import logging

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from project.logging import fold_lines, formatter, remove_secrets, without_secrets

SECRET = "Xq7-veryPrivate_9"


@pytest.mark.parametrize(
    "line",
    [
        f"Authorization: Bearer {SECRET}",
        f"{{'authorization': 'Bearer {SECRET}'}}",
        f"Proxy-Authorization: Basic {SECRET}==",
        f"sent bearer {SECRET} to the server",
        f"Cookie: sessionid={SECRET}; csrftoken=abc",
        f"GET /oauth/authorize/?client_id=a&state={SECRET} 302",
        f"GET http://127.0.0.1:8760/oauth/callback?code={SECRET}",
        f'asked with "tt-{SECRET}"',
        f"POST body access_token={SECRET}&x=1",
        f'{{"refresh_token": "{SECRET}", "expires_in": 3600}}',
        f"password='{SECRET} with spaces'",
        f"client_secret: {SECRET}",
        f"code_verifier={SECRET}",
        f"https://elsewhere.example/cb?x=1&code={SECRET}",
        f"could not connect to postgresql://hub:{SECRET}@db.example.org/hub",
        f"redis://:{SECRET}@127.0.0.1:6379/0",
    ],
)
def test_a_secret_never_reaches_a_log_line(line: str) -> None:
    cleaned = without_secrets(line)
    assert SECRET not in cleaned
    assert "with spaces" not in cleaned
    assert "[removed]" in cleaned


@pytest.mark.parametrize(
    "line", ["hub ready at http://127.0.0.1:8760/mcp", "GET /chat?after_seq=3 200", "3 messages of docs/review"]
)
def test_a_line_without_a_secret_stays_as_it_is(line: str) -> None:
    assert without_secrets(line) == line


@given(st.dictionaries(st.sampled_from(["password", "Authorization", "refresh_token", "client_secret"]), st.text(min_size=1)))
def test_a_field_named_like_a_secret_is_removed_whatever_it_holds(fields: dict[str, str]) -> None:
    event = remove_secrets(None, "info", {"event": "x", "nested": dict(fields), **fields})
    assert all(event[name] == "[removed]" for name in fields)
    assert all(value == "[removed]" for value in event["nested"].values())


def _written(as_json: bool, log: logging.Logger) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(as_json))
    log.addHandler(handler)
    try:
        try:
            raise ValueError(f"token={SECRET}")
        except ValueError:
            log.exception("it failed for %s", "Bearer " + SECRET)
        structlog.get_logger(log.name).warning("chat_posted", seq=7, token=SECRET)
    finally:
        log.removeHandler(handler)
    return stream.getvalue()


def test_the_standard_library_and_structlog_write_the_same_json_without_secrets_in_a_traceback() -> None:
    text = _written(True, logging.getLogger("tests.json"))
    first, second = (json.loads(line) for line in text.splitlines())
    assert SECRET not in text
    assert (first["level"], first["event"]) == ("error", "it failed for Bearer [removed]")
    assert "ValueError" in first["exception"]
    assert (second["event"], second["seq"], second["logger"]) == ("chat_posted", 7, "tests.json")


def test_a_person_reads_one_line_an_event_and_the_traceback_without_its_secret() -> None:
    text = _written(False, logging.getLogger("tests.console"))
    assert SECRET not in text
    assert "\x1b" not in text
    assert "chat_posted" in text.splitlines()[-1]
    assert "ValueError" in text


def test_text_from_elsewhere_cannot_forge_a_second_line() -> None:
    event = fold_lines(None, "info", {"event": "posted\n2026 [error] forged", "topic": "a\r\nb\x1b[2J", "exception": "one\ntwo"})
    assert event == {"event": "posted 2026 [error] forged", "topic": "a b?[2J", "exception": "    one\n    two"}
