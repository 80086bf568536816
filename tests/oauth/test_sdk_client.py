"""The official SDK's OAuth client, from a bare address to tool calls, against the whole application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx2
import pytest
from django.conf import settings
from django.test import Client as DjangoClient
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from accounts import actions
from accounts.models import Application, Connection
from tests import make
from tests.asgi import Transport, hub, run, sync
from tests.mcp.sdk import ERAS
from tests.oauth import driver

both_eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)
CLAUDE = "https://claude.ai/oauth/claude-code-client-metadata"


class Hub(httpx2.AsyncBaseTransport):
    """The MCP endpoint by ASGI, everything else in this thread, so that it shares the test's transaction."""

    def __init__(self, app: Any) -> None:
        self._mcp = Transport(app)
        self._pages = DjangoClient()
        self.asked: list[tuple[str, str, int]] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await self._answer(request)
        self.asked.append((request.method, request.url.path, answer.status_code))
        return answer

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path.startswith("/mcp"):
            return await self._mcp.handle_async_request(request)
        body = await request.aread()
        headers = {name: value for name, value in request.headers.items() if name not in {"content-length", "content-type"}}
        told = sync(
            lambda: self._pages.generic(
                request.method,
                request.url.raw_path.decode(),
                body,
                content_type=request.headers.get("content-type", ""),
                headers=headers,
            )
        )
        return httpx2.Response(told.status_code, headers=dict(told.items()), content=told.content, request=request)


class Person:
    """Owner, browser and token store of one SDK client."""

    def __init__(self, who: make.Person, decision: str = "allow") -> None:
        self._who = who
        self._decision = decision
        self._told: dict[str, str] = {}
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None
        self.asked = 0

    async def open_browser(self, url: str) -> None:
        self.asked += 1
        path = url.removeprefix(settings.TERTULIA_URL)
        self._told = sync(lambda: driver.answer(driver.consent(driver.browser(), self._who, path, decision=self._decision)))

    async def callback(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=self._told.get("code", ""), state=self._told["state"], iss=self._told["iss"])

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def provider(person: Person, path: str = "/mcp", **more: Any) -> OAuthClientProvider:
    return OAuthClientProvider(
        f"{settings.TERTULIA_URL}{path}",
        OAuthClientMetadata(
            client_name="SDK", redirect_uris=[driver.REDIRECT], grant_types=["authorization_code", "refresh_token"]
        ),
        person,
        redirect_handler=person.open_browser,
        callback_handler=person.callback,
        **more,
    )


@asynccontextmanager
async def session(auth: OAuthClientProvider, transport: Hub, mode: str, path: str = "/mcp") -> AsyncIterator[Client]:
    """An MCP session that signs in when it has to."""
    async with httpx2.AsyncClient(auth=auth, transport=transport, timeout=10) as http:
        streams = streamable_http_client(f"{settings.TERTULIA_URL}{path}", http_client=http)
        async with Client(streams, mode=mode) as client:
            yield client


@both_eras
@pytest.mark.parametrize("path", ["/mcp", pytest.param("/mcp/", id="row 1: closing slash")])
def test_row_6_the_sdk_finds_everything_registers_signs_in_and_calls_a_tool(alice: make.Person, mode: str, path: str) -> None:
    person = Person(alice)

    async def story() -> Any:
        async with hub() as app, session(provider(person, path), Hub(app), mode, path) as client:
            return await client.call_tool("chat_post", {"body": "hello", "session_name": "sdk"})

    assert run(story()).structured_content["seq"] == 1
    assert person.asked == 1
    assert Connection.objects.get().client_name == "SDK"


@both_eras
def test_row_11_the_sdk_signs_in_by_a_documents_address_without_registering(alice: make.Person, mode: str) -> None:
    person = Person(alice)

    async def story() -> list[tuple[str, str, int]]:
        async with hub() as app:
            transport = Hub(app)
            async with session(provider(person, client_metadata_url=CLAUDE), transport, mode) as client:
                await client.call_tool("chat_read", {})
            return transport.asked

    assert not [each for each in run(story()) if each[1] == "/oauth/register"]
    assert Application.objects.get().client_id == CLAUDE


@both_eras
def test_the_sdk_refreshes_an_expired_token_without_asking_the_owner(alice: make.Person, mode: str) -> None:
    person = Person(alice)

    async def story() -> tuple[str, Any]:
        async with hub() as app:
            auth = provider(person)
            async with session(auth, Hub(app), mode) as client:
                await client.call_tool("chat_read", {})
                assert person.tokens is not None
                before = person.tokens.access_token
                auth.context.token_expiry_time = 1
                return before, await client.call_tool("chat_read", {})

    before, result = run(story())
    assert not result.is_error
    assert person.tokens is not None and person.tokens.access_token != before
    assert person.asked == 1
    assert Connection.objects.count() == 1


@both_eras
def test_a_revoked_connection_is_told_at_its_next_call_and_must_ask_the_owner_again(alice: make.Person, mode: str) -> None:
    person = Person(alice)

    async def story() -> list[tuple[str, str, int]]:
        async with hub() as app:
            transport = Hub(app)
            async with session(provider(person), transport, mode) as client:
                await client.call_tool("chat_read", {})
                sync(lambda: revoke_all(alice))
                transport.asked.clear()
                with suppress(MCPError):  # in the old era the session was the dead connection's, so it must begin anew
                    await client.call_tool("chat_read", {})
            return transport.asked

    asked = run(story())
    assert asked[0] == ("POST", "/mcp", 401)
    assert person.asked == 2


def revoke_all(who: make.Person) -> None:
    from accounts import bearer

    for connection in Connection.objects.all():
        actions.revoke_connection(who.actor, connection_id=connection.pk)
    bearer.cache.clear()  # the news rings on commit, which a test's transaction never reaches


def test_a_refusal_reaches_the_sdk_as_an_error(alice: make.Person) -> None:
    person = Person(alice, decision="deny")

    async def story() -> None:
        async with hub() as app, session(provider(person), Hub(app), "2026-07-28") as client:
            await client.call_tool("chat_read", {})

    with pytest.raises((BaseExceptionGroup, OAuthFlowError)) as refusal:
        run(story())
    assert "No authorization code received" in repr(refusal.value)
    assert not Connection.objects.exists()
