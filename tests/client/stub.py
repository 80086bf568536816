"""A hub that answers what a test scripted, over httpx's own transport: no sockets, no waiting."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import httpx
from tertulia.store.credentials import Credentials, SignIn

HUB = "http://hub.test"
Scripted = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


def answer(status: int = 200, body: Any = None, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def html(status: int = 200) -> httpx.Response:
    page = "<!doctype html><title>Sign in</title><p>PROXY PAGE</p>"
    return httpx.Response(status, text=page, headers={"content-type": "text/html; charset=utf-8"})


def refused(status: int, error: str, detail: str) -> httpx.Response:
    return answer(status, {"error": error, "detail": detail})


def message(seq: int, body: str = "hello", **more: Any) -> dict[str, Any]:
    return {
        "seq": seq,
        "topic": "general",
        "session_name": "peer",
        "connection_id": "c-0123456789abcdef",
        "handle": None,
        "body": body,
        "time": "2026-11-29T22:54:10.000Z",
        "thread": seq,
        "reply_to": None,
        "reply_to_gone": False,
        **more,
    }


def page(
    *messages: dict[str, Any], last_seq: int | None = None, latest_seq: int | None = None, more: bool = False
) -> httpx.Response:
    last = max((each["seq"] for each in messages), default=0) if last_seq is None else last_seq
    body = {
        "messages": list(messages),
        "last_seq": last,
        "latest_seq": last if latest_seq is None else latest_seq,
        "has_more": more,
    }
    return answer(200, body)


def metadata(hub: str = HUB, **changed: Any) -> dict[str, Any]:
    said = {
        "issuer": hub,
        "authorization_endpoint": f"{hub}/oauth/authorize",
        "token_endpoint": f"{hub}/oauth/token",
        "registration_endpoint": f"{hub}/oauth/register",
        "revocation_endpoint": f"{hub}/oauth/revoke",
        "device_authorization_endpoint": f"{hub}/oauth/device-authorization",
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        **changed,
    }
    return {name: value for name, value in said.items() if value is not None}


@dataclass
class Stub:
    """Scripted answers by path, in turn; the last one stays. `asked`: what came, in its order."""

    script: dict[str, list[Scripted]] = field(default_factory=dict)
    asked: list[httpx.Request] = field(default_factory=list)

    def says(self, path: str, *answers: Scripted) -> "Stub":
        self.script[path] = list(answers)
        return self

    def signs_in(self, hub: str = HUB, **changed: Any) -> "Stub":
        """The documents and endpoints of a sign-in that succeeds."""
        self.says(
            "/.well-known/oauth-protected-resource/mcp", answer(200, {"resource": f"{hub}/mcp", "authorization_servers": [hub]})
        )
        self.says("/.well-known/oauth-authorization-server", answer(200, metadata(hub, **changed)))
        self.says("/oauth/register", answer(201, {"client_id": "client-1"}))
        self.says("/oauth/token", tokens("fresh"))
        self.says("/oauth/revoke", answer(200, {}))
        return self.says("/api/me/", answer(200, {"account": "alice@example.org", "client": "stub", "scopes": ["mcp"]}))

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        waiting = self.script.get(request.url.path)
        if waiting is None:
            return html(404)
        said = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(said, Exception):
            raise said
        if callable(said):
            return said(request)
        return httpx.Response(said.status_code, headers=said.headers, content=said.content)

    def to(self, path: str) -> list[httpx.Request]:
        return [each for each in self.asked if each.url.path == path]

    def queries(self, path: str) -> list[dict[str, str]]:
        return [dict(each.url.params) for each in self.to(path)]

    def forms(self, path: str) -> list[dict[str, str]]:
        return [dict(parse_qsl(each.content.decode())) for each in self.to(path)]

    def bodies(self, path: str) -> list[Any]:
        return [json.loads(each.content) for each in self.to(path)]


def tokens(word: str) -> httpx.Response:
    return answer(
        200, {"access_token": f"access-{word}", "refresh_token": f"refresh-{word}", "token_type": "Bearer", "expires_in": 3600}
    )


def signed_in(hub: str = HUB, word: str = "old") -> SignIn:
    """A sign-in on this machine."""
    held = SignIn(
        hub,
        "client-0",
        f"access-{word}",
        f"refresh-{word}",
        f"{hub}/oauth/token",
        f"{hub}/oauth/revoke",
        "stub",
        "alice@example.org",
    )
    Credentials().keep(held)
    return held


def bearers(requests: Iterable[httpx.Request]) -> list[str]:
    return [each.headers.get("authorization", "").removeprefix("Bearer ") for each in requests]
