"""Anything at all as the arguments of the tools, by both eras, and at the reader: never a failure of the hub's."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from chat.models import Message
from chat.reading import read_page
from chat.values import Exclusions
from core.errors import Invalid
from tests import make
from tests.asgi import client, hub, run
from tests.mcp import wire

quick = hypothesis_settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
any_text = st.text(st.characters(exclude_categories=()), max_size=70)
odd_text = st.sampled_from(
    ["\x00", "a\x00b", "\ud800", "\u202e", "\ufeff", "maintainer", "general", "a" * 200, "'; DROP TABLE x; --", "%s", "%(a)s"]
)
edges = st.sampled_from([0, 1, 2**63 - 1, 2**63, -(2**63), 1e308, 0.5])
numbers = st.integers() | st.integers(-(2**70), 2**70) | st.floats() | edges
values = st.recursive(
    st.none() | st.booleans() | numbers | any_text | odd_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=10,
)
texts = st.lists(any_text | odd_text, max_size=6)
no_time = st.sampled_from([0, 0.0, -1, 241, 1e400, "soon", None, True, [], {}])
NAMES = ["body", "session_name", "topic", "reply_to", "client_key", "after", "limit", "exclude_topics", "exclude_sessions"]
loose = st.dictionaries(st.sampled_from(NAMES) | any_text, values, max_size=6)
near = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("body", "session_name", "topic", "client_key"), any_text | odd_text),
        **dict.fromkeys(("reply_to", "after", "limit"), numbers),
        **dict.fromkeys(("exclude_topics", "exclude_sessions"), texts),
    },
)


def answers(token: str, name: str, arguments: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Status and message of the same call in both eras."""
    params = {"name": name, "arguments": arguments}
    body, headers = wire.modern("tools/call", params)

    async def story() -> list[tuple[int, dict[str, Any]]]:
        async with hub() as app, client(app, token) as http:
            told = [await wire.post(http, wire.request("tools/call", params)), await wire.post(http, body, **headers)]
            return [(each.status_code, wire.message(each)) for each in told]

    return run(story())


def check(told: list[tuple[int, dict[str, Any]]]) -> None:
    for status, message in told:
        text = json.dumps(message)
        assert status in {200, 400}, text
        assert "internal_error" not in text and "Traceback" not in text and "pydantic" not in text
        assert ("result" in message) != ("error" in message)


@quick
@given(name=st.sampled_from(["chat_post", "chat_read"]), arguments=loose | near)
def test_no_arguments_make_post_or_read_fail(alice: make.Person, name: str, arguments: dict[str, Any]) -> None:
    check(answers(make.token(alice), name, arguments))


@quick
@given(arguments=loose | near, seconds=no_time)
def test_no_arguments_make_a_wait_fail(alice: make.Person, arguments: dict[str, Any], seconds: Any) -> None:
    check(answers(make.token(alice), "chat_wait", {**arguments, "timeout_seconds": seconds}))


@quick
@given(body=any_text, name=any_text, topic=st.none() | any_text, key=st.none() | any_text)
def test_what_is_stored_comes_back_as_it_was_sent(
    alice: make.Person, body: str, name: str, topic: str | None, key: str | None
) -> None:
    token = make.token(alice)
    given_ = {"body": body, "session_name": name, "topic": topic, "client_key": key}
    for _, message in answers(token, "chat_post", given_):
        result = message.get("result", {"isError": True})
        if not result.get("isError"):
            kept = Message.objects.get(seq=result["structuredContent"]["seq"])
            assert (kept.body, kept.session_name, kept.topic) == (body, name, topic or "general")


@quick
@given(method=any_text, params=values)
def test_no_method_and_params_make_the_door_fail(alice: make.Person, method: str, params: Any) -> None:
    token = make.token(alice)
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    modern = {"mcp-protocol-version": wire.MODERN, "mcp-method": "tools/list"}

    async def story() -> list[tuple[int, str]]:
        async with hub() as app, client(app, token) as http:
            told = [await wire.post(http, request), await wire.post(http, request, **modern)]
            return [(each.status_code, each.text) for each in told]

    for status, text in run(story()):
        assert status < 500 and "Traceback" not in text


@quick
@given(body=st.binary(max_size=200))
def test_no_bytes_make_the_door_fail(alice: make.Person, body: bytes) -> None:
    token = make.token(alice)

    async def story() -> list[int]:
        async with hub() as app, client(app, token) as http:
            kinds = ({}, {"mcp-protocol-version": wire.MODERN}, {"mcp-protocol-version": "x"})
            given_ = {"content-type": "application/json"}
            return [(await http.post("/mcp", content=body, headers={**given_, **kind})).status_code for kind in kinds]

    assert set(run(story())) == {400}


@quick
@given(pairs=st.lists(st.tuples(st.sampled_from(["after_seq", "exclude_topic", "x"]) | any_text, any_text | odd_text)))
def test_no_query_makes_the_reader_fail(alice: make.Person, pairs: list[tuple[str, str]]) -> None:
    token = make.token(alice)
    query = urlencode([(name, value) for name, value in pairs if name != "hold"], errors="replace")

    async def story() -> tuple[int, set[str]]:
        async with hub() as app, client(app, token) as http:
            answer = await http.get(f"/chat?{query}")
            return answer.status_code, set(answer.json())

    status, members = run(story())
    assert (status, members) in [(400, {"error", "detail"}), (200, {"messages", "latest_seq", "last_seq", "has_more"})]


@pytest.mark.parametrize("count", [101, 100_000])
@pytest.mark.parametrize("name", ["topics", "sessions"])
def test_exclusions_are_counted_before_the_database_is_asked(
    alice: make.Person, name: str, count: int, django_assert_num_queries: Any
) -> None:
    actor = make.agent(alice)
    with django_assert_num_queries(0), pytest.raises(Invalid, match="At most 100 topics"):
        read_page(actor, after=0, exclusions=Exclusions(**{name: ("a",) * count}))


@pytest.mark.parametrize("seconds", ["50", 1e-9])
def test_a_time_in_words_of_a_number_is_bounded_as_the_number_is(alice: make.Person, seconds: Any) -> None:
    from chat.mcp import WaitArguments

    assert 0 <= WaitArguments(after=0, timeout_seconds=seconds).timeout_seconds <= 240
    for more in ("241", "1e9", "inf", "nan", "-1"):
        with pytest.raises(ValueError, match="timeout_seconds"):
            WaitArguments(after=0, timeout_seconds=more)  # type: ignore[arg-type]
