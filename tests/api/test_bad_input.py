"""Bad input at the REST doors: a problem that names what does not fit, never a failure."""

import json
from typing import Any

import pytest

from chat.models import Message
from tests import make
from tests.api.driver import agent, is_problem, person

POST = {"body": "x", "session_name": "me"}
LIBRARY_WORDS = ("line 1 column", "pydantic", "Traceback", "codec", "recursion", "JSON parse error", "Input should")


def encoded(**more: Any) -> bytes:
    return json.dumps({**POST, **more}).encode()


BODIES: dict[str, tuple[bytes, str | None]] = {
    "empty": (b"", "body"),
    "no JSON": (b"body=x", None),
    "a list": (b"[]", None),
    "null": (b"null", None),
    "a text": (b'"x"', None),
    "an unknown field": (encoded(account=1), None),
    "no body": (b'{"session_name": "me"}', "body"),
    "an empty body": (encoded(body=""), "body"),
    "a body that is a number": (encoded(body=1), "body"),
    "a body that is null": (encoded(body=None), "body"),
    "a long body": (encoded(body="x" * 8193), "body"),
    "NUL in the body": (encoded(body="a\x00b"), "body"),
    "a control character": (encoded(body="a\x1bb"), "body"),
    "half a character": (encoded(body="\ud800"), None),
    "half a character in a name": (encoded(session_name="\udfff"), None),
    "a name with a control character": (encoded(session_name="a\x07"), "session_name"),
    "a long name": (encoded(session_name="x" * 65), "session_name"),
    "the owner's name": (encoded(session_name="Maintainer"), "session_name"),
    "a topic out of the rule": (encoded(topic="Docs"), "topic"),
    "a topic of 101 characters": (encoded(topic="a" * 101), "topic"),
    "reply_to as text": (encoded(reply_to="1"), "reply_to"),
    "reply_to as a truth": (encoded(reply_to=True), "reply_to"),
    "reply_to zero": (encoded(reply_to=0), "reply_to"),
    "reply_to past all numbers": (encoded(reply_to=2**63), "reply_to"),
    "reply_to with 5000 digits": (b'{"body": "x", "session_name": "me", "reply_to": ' + b"9" * 5000 + b"}", None),
    "reply_to no number": (b'{"body": "x", "session_name": "me", "reply_to": NaN}', "reply_to"),
    "a key with a control character": (encoded(client_key="\x00"), None),
    "nested past all depth": (b'{"body": ' + b"[" * 30000 + b"]" * 30000 + b"}", None),
    "no UTF-8": (b'{"body": "\xff"}', None),
    "UTF-16": (json.dumps(POST).encode("utf-16"), None),
}


@pytest.mark.parametrize("case", BODIES)
def test_a_body_that_does_not_fit_is_400_and_named(alice: make.Person, case: str) -> None:
    raw, name = BODIES[case]
    answer = agent(alice).post("/api/messages/", raw=raw)
    told = is_problem(answer, 400, answer.json()["error"])
    assert name is None or name in told["fields"]
    assert not any(words in answer.content.decode() for words in LIBRARY_WORDS)
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "x", ""]
)
@pytest.mark.parametrize("who", [agent, person])
def test_another_kind_of_body_is_415(alice: make.Person, who: Any, kind: str) -> None:
    is_problem(who(alice).post("/api/messages/", POST, content_type=kind), 415, "unsupported_media_type")


def test_markup_and_scripts_come_back_as_data_in_json(alice: make.Person) -> None:
    hostile = "<script>alert(1)</script>\u202e'; DROP TABLE x; --"
    caller = agent(alice)
    assert caller.post("/api/messages/", {**POST, "body": hostile}).status_code == 201
    answer = caller.get("/api/messages/", accept="text/html")
    assert answer.json()["results"][0]["body"] == hostile
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


QUERIES: dict[str, str | None] = {
    "foo=1": None,
    "page_size=0": "page_size",
    "page_size=101": "page_size",
    "page_size=-1": "page_size",
    "page_size=ten": "page_size",
    "page_size=1&page_size=2": "page_size",
    "thread=0": "thread",
    "thread=9223372036854775808": "thread",
    "thread=" + "9" * 5000: "thread",
    "topic=Docs": "topic",
    "topic=a%00b": "topic",
    "topic=": "topic",
    "session_name=": "session_name",
    "session_name=a%00b": "session_name",
    "session_name=%ff%fe%00": "session_name",
    "connection_id=c-1": "connection_id",
    "connection_id=c-0123456789abcdef%0a": "connection_id",
    "cursor=": "cursor",
    "cursor=nonsense": "cursor",
    "cursor=%00": "cursor",
    "cursor=cD14": "cursor",  # p=x
    "cursor=cD0tMQ==": "cursor",  # p=-1
    "cursor=cD05OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OQ==": "cursor",  # a position past all numbers
    "cursor=bz0tMQ==": "cursor",  # o=-1
    "cursor=cj14": "cursor",  # r=x
    "&".join(f"a{number}=1" for number in range(1500)): None,
}


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query[:40])
def test_a_parameter_that_does_not_fit_is_400_and_named(alice: make.Person, query: str) -> None:
    make.message(alice)
    answer = agent(alice).get(f"/api/messages/?{query}")
    told = is_problem(answer, 400, answer.json()["error"])
    name = QUERIES[query]
    assert name is None or name in told["fields"]
    assert not any(words in answer.content.decode() for words in LIBRARY_WORDS)


@pytest.mark.parametrize("path", ["/api/me/", "/api/topics/", "/api/messages/1/"])
def test_no_other_parameter_is_taken(alice: make.Person, path: str) -> None:
    is_problem(agent(alice).get(f"{path}?topic=a"), 400, "invalid")


@pytest.mark.parametrize("path", ["/api/messages/", "/api/messages/999999999999999999/", "/api/connections/"])
def test_a_body_where_none_is_asked_for_changes_nothing(alice: make.Person, path: str) -> None:
    answer = agent(alice).ask("GET", path, raw=b"\xff" * 100)
    assert answer.status_code in {200, 404}


@pytest.mark.parametrize(
    "method_and_path", [("POST", "/api/connections/c-0123456789abcdef/revoke/"), ("DELETE", "/api/tickets/1/")]
)
def test_a_deed_without_a_body_takes_none(alice: make.Person, method_and_path: tuple[str, str]) -> None:
    method, path = method_and_path
    is_problem(agent(alice).ask(method, path, {"reason": "x"}), 400, "invalid")
    is_problem(agent(alice).ask(method, path), 404, "not_found")


def test_the_owner_posting_is_held_to_the_same_rules(alice: make.Person) -> None:
    answer = person(alice).post("/api/messages/", {"body": "a\x00b"})
    assert "body" in is_problem(answer, 400, "invalid_body")["fields"]
