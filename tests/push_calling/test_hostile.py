"""Push servers, and sign-in services of theirs, that mean harm to whoever calls them."""

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from audit.models import Entry
from core.errors import DomainError
from sessions_app.runners.toolsets import offered_to
from tests import make
from tests.asgi import run as running
from tests.push_calling.services import SignedService
from tests.pushing import server
from tests.runners.playing import asked
from triggers.calling import actions
from triggers.calling.credentials import headers_for
from triggers.calling.signing import web
from triggers.calling.signing.flow import Returned
from triggers.models import PushServer

PROGRAM = """
import json, sys
def say(**more): print(json.dumps({"jsonrpc": "2.0", **more}), flush=True)
schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
answers = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}},
    "tools/list": {"tools": [{"name": "look", "inputSchema": {"type": "object"}, "outputSchema": schema}]},
    "tools/call": {"content": [{"type": "text", "text": "seen"}], "structuredContent": {"a": "a" * 64 + "!"}},
}
for line in sys.stdin:
    said = json.loads(line)
    if "id" in said and said["method"] in answers:
        say(id=said["id"], result=answers[said["method"]])
    elif "id" in said:
        say(id=said["id"], error={"code": -32601, "message": "no such method"})
"""


@pytest.mark.django_db(transaction=True)
def test_no_expression_of_a_server_is_tried_on_what_it_answers() -> None:
    """It would hold the event loop, and so every other run of the process, for years."""
    owner = make.person("dora@example.org", may_run_commands=True)
    argv = [sys.executable, "-c", PROGRAM]
    server(owner, "evil", transport="stdio", url="", argv=argv, tools=[{"name": "look", "inputSchema": {"type": "object"}}])
    (tool,) = [each for each in offered_to(asked(owner)) if each.name == "evil__look"]
    assert running(tool.call({}), seconds=20) == "seen"


@contextmanager
def dripping() -> Iterator[str]:
    """A server that answers one byte at a time, without end."""
    listening = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def drip(line: socket.socket) -> None:
        with line:
            line.recv(65_536)
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
            while not ended.wait(0.02):
                try:
                    line.sendall(b" ")
                except OSError:
                    return

    def accept() -> None:
        while not ended.is_set():
            try:
                line, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=drip, args=(line,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        ended.set()
        listening.close()


def test_a_service_that_drips_its_answer_holds_no_page(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "SECONDS", 0.3)
    with dripping() as url:
        held = server(alice, "slow", url=url)
        with pytest.raises(web.Unreached):
            actions.begin_sign_in(alice.actor, held.pk)


def signed_with(who: make.Person, service: SignedService, **token: Any) -> PushServer:
    service.answers["/token"] = (200, {}, {"access_token": "t-1", "token_type": "bearer", **token})
    begun = actions.begin_sign_in(who.actor, server(who, "lights", url=f"{service.url}/mcp").pk)
    return actions.finish_sign_in(who.actor, begun.pending.sealed(), Returned(**service.allow(begun.address)))


@pytest.mark.parametrize("token", ["t\r\nX-Evil: 1", "schlüssel", "", "\x00", "t" * 100_000])
def test_a_token_that_fits_into_no_header_signs_nobody_in(alice: make.Person, service: SignedService, token: str) -> None:
    with pytest.raises(DomainError, match="did not answer as it should"):
        signed_with(alice, service, access_token=token)
    assert PushServer.objects.get().sign_in_encrypted is None


@pytest.mark.parametrize("seconds", [10**15, 10**30, -(10**15)])
def test_a_token_that_lasts_for_ever_or_ended_before_time_is_kept(
    alice: make.Person, service: SignedService, seconds: int
) -> None:
    held = signed_with(alice, service, expires_in=seconds, refresh_token=None)
    shown = running(headers_for(held))
    assert shown == ({"Authorization": "Bearer t-1"} if seconds > 0 else {})


def test_what_a_service_says_it_granted_is_cut_and_clean_in_the_log(alice: make.Person, service: SignedService) -> None:
    signed_with(alice, service, scope="push\0\n" + "x" * 100_000)
    said = Entry.objects.get(deed="push_server.signed_in").details["scope"]
    assert said.startswith("push") and len(said) <= 1000 and said.isprintable()


def test_what_a_server_says_it_wants_is_cut_and_clean(alice: make.Person, service: SignedService) -> None:
    metadata = service._well_known_oauth_protected_resource_mcp({}, {})[2]
    service.answers["/.well-known/oauth-protected-resource/mcp"] = (
        200,
        {},
        {**metadata, "scopes_supported": ["a\0b", "c" * 9000]},
    )
    begun = actions.begin_sign_in(alice.actor, server(alice, "lights", url=f"{service.url}/mcp").pk)
    assert len(" ".join(begun.scopes)) <= 1000 and all(each.isprintable() for each in begun.scopes)


def test_a_tool_that_takes_no_object_does_not_cost_the_others(db: None) -> None:
    """Providers refuse all tools of a request for one whose schema is none of an object."""
    owner = make.person("dora@example.org")
    odd = [{"name": "odd", "inputSchema": {"type": "string"}}, {"name": "none", "inputSchema": {}}, {"name": "bare"}]
    server(owner, "evil", tools=odd)
    found = [each.schema["type"] for each in offered_to(asked(owner)) if each.name.startswith("evil__")]
    assert found == ["object"] * 3
