"""Tricks of JSON at the MCP door, in both eras: refused or handled, never a failure, never a library's own words."""

import json
from typing import Any

import httpx2
import pytest

from tests import make
from tests.asgi import client, hub, run
from tests.mcp import wire

ERAS = {"old": {}, "new": {"mcp-protocol-version": wire.MODERN, "mcp-method": "tools/call", "mcp-name": "chat_read"}}
LIBRARY_WORDS = ("hex escape", "line 1 column", "pydantic", "Traceback", "codec", "recursion")


def send(token: str, *bodies: bytes, **headers: str) -> list[httpx2.Response]:
    async def story() -> list[httpx2.Response]:
        async with hub() as app, client(app, token) as http:
            given = {"content-type": "application/json", **headers}
            return [await http.post("/mcp", content=body, headers=given) for body in bodies]

    return run(story())


def call(arguments: str, name: str = '"chat_read"', request_id: str = "1") -> bytes:
    """A call whose parts are JSON by the letter, as a client without a library would write them."""
    meta = json.dumps(wire.META)
    params = f'{{"name":{name},"arguments":{arguments},"_meta":{meta}}}'
    return f'{{"jsonrpc":"2.0","id":{request_id},"method":"tools/call","params":{params}}}'.encode()


NOT_JSON = {
    "lone surrogate in an argument": call('{"session_name":"\\ud800"}'),
    "lone surrogate in a name": call('{"\\udfff":1}'),
    "lone surrogate in the id": call("{}", request_id='"\\ud800"'),
    "lone surrogate in the tool": call("{}", name='"\\uD8aB"'),
    "a number past all digits": call(f'{{"after":{"9" * 5000}}}'),
    "nesting past all depth": call(f'{{"exclude_topics":{"[" * 30000}{"]" * 30000}}}'),
    "a byte that is no UTF-8": call('{"session_name":"\xff"}').replace(b"\xc3\xbf", b"\xff"),
    "an encoded surrogate": call('{"session_name":"?"}').replace(b"?", b"\xed\xa0\x80"),
    "UTF-16": call("{}").decode().encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + call("{}"),
    "two values": call("{}") + b"{}",
    "a comment": b"/* */" + call("{}"),
    "a trailing comma": call('{"after":0,}'),
    "a bare NUL": call('{"session_name":"a\x00b"}'),
}


@pytest.mark.parametrize("version", [None, wire.MODERN, "9999-01-01"])
def test_what_is_no_json_is_400_with_our_sentence(alice: make.Person, version: str | None) -> None:
    headers = {} if version is None else {"mcp-protocol-version": version}
    for case, answer in zip(NOT_JSON, send(make.token(alice), *NOT_JSON.values(), **headers), strict=True):
        assert answer.status_code == 400, case
        assert answer.json()["error"] == {"code": -32700, "message": "The body is no JSON in UTF-8; send one JSON-RPC message."}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "arguments",
    [
        '{"after":NaN}',
        '{"after":Infinity}',
        '{"after":1e400}',
        '{"after":-1}',
        '{"after":9223372036854775808}',
        f'{{"after":{"9" * 4000}}}',
        '{"after":1.5}',
        '{"after":true}',
        '{"after":"0x10"}',
        '{"after":{}}',
        '{"after":[0]}',
        '{"exclude_topics":"general"}',
        '{"exclude_topics":["a\\u0000b"]}',
        '{"exclude_sessions":["a\\u0000b"]}',
        '{"session_name":"a\\u0000b"}',
        '{"session_name":"\\u202eevil"}',
        f'{{"exclude_topics":{"[" * 100}{"]" * 100}}}',
        f'{{"exclude_topics":{json.dumps(["a"] * 101)}}}',
        f'{{"exclude_sessions":{json.dumps(["a"] * 200_000)}}}',
        '{"__class__":"x"}',
        '{"":1}',
    ],
)
def test_wrong_arguments_are_a_tool_error_in_one_sentence(alice: make.Person, era: str, arguments: str) -> None:
    answer = send(make.token(alice), call(arguments), **ERAS[era])[0]
    result = wire.message(answer)["result"]
    text = result["content"][0]["text"]
    assert answer.status_code == 200 and result["isError"]
    assert text.startswith("invalid") and len(text) < 400
    assert not any(word in answer.text for word in LIBRARY_WORDS)


@pytest.mark.parametrize("era", ERAS)
def test_of_a_key_given_twice_the_last_one_counts_for_door_and_tool_alike(alice: make.Person, era: str) -> None:
    make.message(alice, "one")
    twice = call('{"after":99,"after":0}')
    result = wire.message(send(make.token(alice), twice, **ERAS[era])[0])["result"]
    assert [each["body"] for each in result["structuredContent"]["messages"]] == ["one"]


@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_argument_and_tool_are_refused_without_being_repeated(alice: make.Person, era: str) -> None:
    headers = {**ERAS[era], **({"mcp-name": "canary-tool"} if era == "new" else {})}
    named = send(make.token(alice), call("{}", name='"canary-tool"'), **headers)[0]
    argued = send(make.token(alice), call('{"canary-argument":"canary-value"}'), **ERAS[era])[0]
    for answer in (named, argued):
        result = wire.message(answer)["result"]
        assert result["isError"] and "canary" not in json.dumps(result)


@pytest.mark.parametrize("arguments", ["[]", "5", '"x"', "true"])
@pytest.mark.parametrize("era", ERAS)
def test_arguments_that_are_no_object_are_refused_without_a_librarys_words(alice: make.Person, era: str, arguments: str) -> None:
    answer = send(make.token(alice), call(arguments), **ERAS[era])[0]
    assert answer.status_code < 500 and not any(word in answer.text for word in LIBRARY_WORDS)
    assert answer.json()["error"]["code"] == -32602


@pytest.mark.parametrize("request_id", ['"a"', '"\\ud83d\\ude00"', "0", "-1", "9" * 400, '"' + "x" * 10_000 + '"'])
def test_any_sound_id_comes_back_as_it_was(alice: make.Person, request_id: str) -> None:
    answer = send(make.token(alice), call("{}", request_id=request_id))[0]
    assert answer.json()["id"] == json.loads(request_id)


def test_a_progress_token_with_line_breaks_forges_no_event(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from project.mcp import door
    from project.mcp.heart import Heart

    monkeypatch.setattr(door, "heart", Heart(0.02))
    forged: Any = 'x\r\n\r\ndata: {"forged":1}\r\n\r\n'
    body = wire.call("chat_wait", {"after": 0, "timeout_seconds": 0.2}, token=forged)
    events = wire.events(send(make.token(alice), json.dumps(body).encode())[0].text)
    assert events[0]["params"]["progressToken"] == forged
    assert all("jsonrpc" in each for each in events)
