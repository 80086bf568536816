"""What clients were seen to do on the wire, replayed (`§0` points and the transport rows of the bug reports)."""

from typing import Any

import httpx2
import pytest
from django.conf import settings

from core.tools import tools
from tests import make
from tests.asgi import client, hub, run
from tests.mcp import wire

OLD_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


def ask(token: str | None, body: Any, path: str = "/mcp", **headers: str) -> httpx2.Response:
    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http:
            return await wire.post(http, body, path, **headers)

    return run(story())


def send(token: str | None, method: str, path: str = "/mcp", **headers: str) -> httpx2.Response:
    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token, **headers) as http:
            return await http.request(method, path)

    return run(story())


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_row_33_an_older_client_gets_its_own_version_and_a_session(alice: make.Person, version: str) -> None:
    response = ask(make.token(alice), wire.initialize(version))
    assert wire.message(response)["result"]["protocolVersion"] == version
    assert response.headers["mcp-session-id"]


@pytest.mark.parametrize("version", ["2099-01-01", "1.0", "", "x" * 300])
def test_row_30_an_unknown_version_is_negotiated_down_and_never_an_error(alice: make.Person, version: str) -> None:
    assert wire.message(ask(make.token(alice), wire.initialize(version)))["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("header", ["2026-07-28", "2024-11-05", "rubbish"])
def test_point_7_initialize_is_not_judged_by_its_version_header(alice: make.Person, header: str) -> None:
    response = ask(make.token(alice), wire.initialize(), **{"mcp-protocol-version": header})
    assert wire.message(response)["result"]["serverInfo"]["name"] == "tertulia"


def test_the_handshake_announces_that_the_list_of_tools_may_change(alice: make.Person) -> None:
    answer = wire.message(ask(make.token(alice), wire.initialize()))["result"]
    assert answer["capabilities"]["tools"]["listChanged"] is True
    assert len(answer["instructions"].encode()) < 512


@pytest.mark.parametrize("header", OLD_VERSIONS)
def test_row_32_any_supported_version_header_is_taken_after_the_handshake(alice: make.Person, header: str) -> None:
    response = ask(make.token(alice), wire.request("tools/list"), **{"mcp-protocol-version": header})
    assert len(wire.message(response)["result"]["tools"]) == len(tools.names())


def test_row_29_an_unknown_newer_version_is_told_what_is_supported(alice: make.Person) -> None:
    response = ask(make.token(alice), wire.request("tools/list"), **{"mcp-protocol-version": "2099-01-01"})
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["code"] == -32022 and "2026-07-28" in error["data"]["supported"]


def test_row_28_server_discover_is_answered(alice: make.Person) -> None:
    body, headers = wire.modern("server/discover", request_id="server-discover-probe-1")
    response = ask(make.token(alice), body, **headers)
    assert wire.message(response)["result"]["supportedVersions"] == ["2026-07-28"]
    assert wire.message(response)["result"]["capabilities"]["tools"]["listChanged"] is True


def test_an_unknown_method_is_404_in_the_newer_era(alice: make.Person) -> None:
    body, headers = wire.modern("no/such")
    response = ask(make.token(alice), body, **headers)
    assert (response.status_code, response.json()["error"]["code"]) == (404, -32601)


def test_row_36_tools_may_be_listed_without_a_handshake(alice: make.Person) -> None:
    assert len(wire.message(ask(make.token(alice), wire.request("tools/list")))["result"]["tools"]) == len(tools.names())


@pytest.mark.parametrize("session", ["nonsense", "", "c-0000000000000000.x.y", "x" * 5000])
def test_row_25_a_session_we_never_issued_is_404(alice: make.Person, session: str) -> None:
    response = ask(make.token(alice), wire.request("tools/list"), **{"mcp-session-id": session})
    assert (response.status_code, response.json()["error"]["code"]) == (404, -32600)


def test_charlie_cannot_use_alices_session(alice: make.Person, charlie: make.Person) -> None:
    session = ask(make.token(alice), wire.initialize()).headers["mcp-session-id"]
    assert ask(make.token(charlie), wire.request("tools/list"), **{"mcp-session-id": session}).status_code == 404


def test_row_26_a_restart_serves_every_session_on(alice: make.Person) -> None:
    token = make.token(alice)
    session = ask(token, wire.initialize()).headers["mcp-session-id"]
    after_the_restart = ask(token, wire.request("tools/list"), **{"mcp-session-id": session})
    assert after_the_restart.status_code == 200


def test_a_session_is_ended_with_200(alice: make.Person) -> None:
    token = make.token(alice)
    session = ask(token, wire.initialize()).headers["mcp-session-id"]
    assert send(token, "DELETE", **{"mcp-session-id": session}).status_code == 200


def test_point_4_a_cancellation_of_an_unknown_call_is_taken(alice: make.Person) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}
    response = ask(make.token(alice), body)
    assert (response.status_code, response.content) == (202, b"")


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_row_1_both_forms_of_the_address_answer_without_a_redirect(alice: make.Person, path: str) -> None:
    assert ask(make.token(alice), wire.initialize(), path).status_code == 200


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_row_3_the_challenge_names_the_matching_metadata_and_all_scopes(db: None, path: str, method: str) -> None:
    response = send(None, method, path)
    challenge = response.headers["www-authenticate"]
    assert response.status_code == 401
    assert f'resource_metadata="{settings.TERTULIA_URL}/.well-known/oauth-protected-resource{path}"' in challenge
    assert 'scope="mcp"' in challenge and "error=" not in challenge


@pytest.mark.parametrize("token", ["dGVzdA", "x" * 5000, "a b", "tok\u00e9n"])
def test_an_unsound_token_is_401_and_never_repeated(db: None, token: str) -> None:
    async def story() -> httpx2.Response:
        async with hub() as app, client(app) as http:
            return await http.post("/mcp", content=b"{}", headers=[(b"authorization", b"Bearer " + token.encode("latin-1"))])

    response = run(story())
    assert response.status_code == 401 and 'error="invalid_token"' in response.headers["www-authenticate"]
    assert token not in response.text and token not in response.headers["www-authenticate"]


def test_w_11_no_answer_holds_the_token_and_the_id_is_a_prefix_of_its_hash(alice: make.Person) -> None:
    import hashlib

    token = make.token(alice)

    async def story() -> str:
        async with hub() as app, client(app, token) as http:
            posted = await wire.post(http, wire.call("chat_post", {"body": "x", "session_name": "a"}))
            read = await wire.post(http, wire.call("chat_read", {}))
            return posted.text + read.text + (await http.get("/chat")).text

    assert token not in run(story()) and hashlib.sha256(token.encode()).hexdigest() not in run(story())


@pytest.mark.parametrize("host", ["evil.example", "localhost", "127.0.0.1", ""])
def test_another_host_is_told_the_address(alice: make.Person, host: str) -> None:
    response = send(make.token(alice), "GET", host=host)
    assert response.status_code == 421 and settings.TERTULIA_URL in response.json()["detail"]


def test_a_page_of_another_site_is_refused_and_our_own_is_not(alice: make.Person) -> None:
    token = make.token(alice)
    assert ask(token, wire.initialize(), origin="https://evil.example").status_code == 403
    assert ask(token, wire.initialize(), origin=settings.TERTULIA_URL).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD", "OPTIONS"])
def test_another_method_is_405_with_what_is_allowed(db: None, method: str) -> None:
    response = send(None, method)
    assert (response.status_code, response.headers["allow"]) == (405, "GET, POST, DELETE")


def test_the_newer_era_has_no_get_stream(alice: make.Person) -> None:
    response = send(make.token(alice), "GET", **{"mcp-protocol-version": wire.MODERN})
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


BODIES = [
    *(b"", b"{", b"[]", b"null", b"42", b'"x"', b"{}", b"\xff\xfe", b"[" * 5000),
    b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":5}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}',
]


@pytest.mark.parametrize("era", ["old", "new"])
@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_malformed_body_is_400_with_a_sentence(alice: make.Person, body: bytes, era: str) -> None:
    token = make.token(alice)
    headers = {"content-type": "application/json"} | ({"mcp-protocol-version": wire.MODERN} if era == "new" else {})

    async def story() -> httpx2.Response:
        async with hub() as app, client(app, token) as http:
            return await http.post("/mcp", content=body, headers=headers)

    response = run(story())
    assert response.status_code == 400 and response.json()["error"]["message"]
    assert "pydantic" not in response.text and "Traceback" not in response.text


def test_an_oversized_body_is_413(alice: make.Person) -> None:
    assert ask(make.token(alice), wire.call("chat_post", {"body": "x" * 2_000_000, "session_name": "a"})).status_code == 413


def test_another_content_type_is_415(alice: make.Person) -> None:
    assert ask(make.token(alice), wire.initialize(), **{"content-type": "text/plain"}).status_code == 415


@pytest.mark.parametrize(
    "accept", ["*/*", "application/json", "text/*", "text/event-stream, application/json", "text/event-stream"]
)
def test_any_accept_header_is_taken(alice: make.Person, accept: str) -> None:
    response = ask(make.token(alice), wire.call("chat_wait", {"after": 0, "timeout_seconds": 0}), accept=accept)
    assert wire.message(response)["result"]["structuredContent"]["messages"] == []
    assert response.headers["content-type"].startswith("application/json") == (accept == "application/json")
