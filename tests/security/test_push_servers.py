"""Push servers as an attacker meets them: what goes to whom, and where the hub can be led."""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp.client.sse import sse_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from core import clock as hub_clock
from core.errors import DomainError, Invalid
from project.logging import _loggers
from tests import make
from tests.asgi import run
from tests.clock import Clock
from tests.push_calling.services import signed_service
from tests.pushing import server
from tests.security.test_outbound import NONE
from triggers.calling import actions, credentials
from triggers.calling.credentials import headers_for
from triggers.calling.showing import Shown
from triggers.calling.signing.keeping import SignIn
from triggers.models import PushServer
from triggers.servers.actions import save_server
from triggers.servers.drafts import ServerDraft

OLD, NEW = "https://old.example.org/mcp", "https://new.example.org/mcp"


@pytest.fixture
def before(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> PushServer:
    """A server as a run or a listener loaded it before its owner named another address, with a key and a sign-in for that."""
    monkeypatch.setattr("triggers.servers.actions.check_outbound", lambda url: None)
    loaded = server(alice, "lights", url=OLD)
    save_server(alice.actor, ServerDraft(name="lights", url=NEW, headers={"X-Key": "new key"}))
    PushServer.objects.update(sign_in_encrypted=signed_in(NEW).sealed())
    return loaded


def signed_in(url: str) -> SignIn:
    client = OAuthClientInformationFull(client_id="hub-1", token_endpoint_auth_method="none")
    held = SignIn(server_url=url, token_endpoint=f"{url}/token", client=client, issued_at=hub_clock.now())
    return held.renewed(OAuthToken(access_token="new token", expires_in=3600, refresh_token="r"), hub_clock.now())


def test_an_address_that_was_changed_gets_nothing_that_was_given_for_the_new_one(before: PushServer, clock: Clock) -> None:
    """A run that had called the old address sent it the new one's key and token, at the latest when it took leave."""
    assert run(headers_for(before)) == run(headers_for(before, renew=True)) == {}
    assert run(headers_for(PushServer.objects.get())) == {"X-Key": "new key", "Authorization": "Bearer new token"}


def test_who_waits_for_a_token_of_the_old_address_is_not_given_the_new_one_s(
    alice: make.Person, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, held = server(alice, "lights", url=OLD), signed_in(OLD)
    clock.forward(minutes=59, seconds=45)
    PushServer.objects.update(sign_in_encrypted=held.claimed(hub_clock.now()).sealed())
    looks: list[int] = []

    def look(server_id: int) -> credentials.Held:
        looks.append(server_id)
        if len(looks) == 2:
            PushServer.objects.update(url=NEW, sign_in_encrypted=signed_in(NEW).sealed())
        return read(server_id)

    read = credentials._held
    monkeypatch.setattr(credentials, "LOOK_SECONDS", 0)
    monkeypatch.setattr(credentials, "_held", look)
    assert run(headers_for(loaded)) == {} and len(looks) == 2


def test_the_old_address_does_not_say_where_the_owner_signs_in_to_the_new_one(before: PushServer, clock: Clock) -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(401, headers={"www-authenticate": 'Bearer resource_metadata="https://evil.example/"'})

    async def call() -> None:
        async with httpx2.AsyncClient(auth=Shown(before), transport=httpx2.MockTransport(refuse)) as http:
            await http.get(OLD)

    run(call())
    assert PushServer.objects.get().challenge == ""


@pytest.fixture
def loopback(settings: Any) -> None:
    """Private addresses may be called."""
    settings.PRIVATE_ADDRESSES = True


@pytest.mark.parametrize("named", [*NONE, "http://[v1.x]/", "javascript:alert(1)", "file:///etc/passwd", "", "\u00e9", "//x"])
def test_nothing_a_server_names_as_its_description_is_an_error_of_ours(named: str, alice: make.Person, loopback: None) -> None:
    with signed_service() as service:
        held = server(alice, "lights", url=f"{service.url}/mcp", challenge=f'Bearer resource_metadata="{named}"')
        with contextlib.suppress(DomainError):
            assert urlsplit(actions.begin_sign_in(alice.actor, held.pk).address).netloc == urlsplit(service.url).netloc


@pytest.mark.parametrize("endpoint", ["authorization_endpoint", "token_endpoint", "registration_endpoint"])
def test_no_service_looks_like_another_by_a_user_in_its_address(endpoint: str, alice: make.Person, loopback: None) -> None:
    with signed_service(**{endpoint: "https://accounts.example.org@evil.example/"}) as service:
        held = server(alice, "lights", url=f"{service.url}/mcp")
        with pytest.raises(Invalid, match="a user in its address"):
            actions.begin_sign_in(alice.actor, held.pk)
        assert "/register" not in service.paths()


def test_the_hub_is_registered_and_given_its_secret_where_there_is_https_alone(
    alice: make.Person, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions_app.runners.model.pinned.check_host", lambda host, port: ["127.0.0.1"])
    settings.PRIVATE_ADDRESSES = False
    secure = {name: f"https://sign-in.example/{name}" for name in ("authorization_endpoint", "token_endpoint")}
    with signed_service(**secure) as service:
        held = server(alice, "lights", url=f"{service.url}/mcp")
        with pytest.raises(Invalid, match="without https"):
            actions.begin_sign_in(alice.actor, held.pk)
        assert "/register" not in service.paths()


JUNK = b"event: endpoint\ndata: /x\n\n" + b"data: canary\n\nevent: canary\ndata: x\n\n" * 50


@pytest.fixture
def as_a_hub_logs() -> Iterator[None]:
    """The levels of a hub whose operator chose none."""
    wanted = {logging.getLogger(name): each["level"] for name, each in _loggers("INFO").items()}
    before = {each: each.level for each in wanted}
    for levels in (wanted, before):
        for logger, level in levels.items():
            logger.setLevel(level)
        if levels is wanted:
            yield


def test_no_server_writes_the_hub_s_log(caplog: pytest.LogCaptureFixture, as_a_hub_logs: None) -> None:
    """Each few bytes that were none of the protocol's came to a kilobyte of log, with what they said."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=JUNK)

    def http(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))

    async def hear() -> int:
        async with sse_client("https://lights.example.org/sse", httpx_client_factory=http) as (heard, _said):
            return len([await heard.receive() for _ in range(50)])

    assert run(hear()) == 50
    assert [each for each in caplog.records if each.name.startswith("mcp.")] == []
