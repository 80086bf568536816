"""Plays an OAuth client and the browser of its owner, through the real endpoints and pages.

`tokens = driver.authorize(django.test.Client(), alice)` registers a client, signs alice in, allows, and exchanges the code.
"""

import base64
import hashlib
import html
import json
import re
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import Connection
from tests import make

REDIRECT = "http://127.0.0.1:18103/callback"


@dataclass(frozen=True)
class Tokens:
    """What the token endpoint answered, and the client that may refresh it."""

    access: str
    refresh: str
    expires_in: int
    scope: str
    client_id: str

    @property
    def headers(self) -> dict[str, str]:
        """For a request that carries the token."""
        return {"Authorization": f"Bearer {self.access}"}

    @property
    def connection_id(self) -> str:
        """The connection these tokens opened; after a refresh, ask `Connection` instead."""
        return f"c-{hashlib.sha256(self.access.encode()).hexdigest()[:16]}"

    @property
    def connection(self) -> Connection:
        """Its row."""
        return Connection.objects.get(pk=self.connection_id)


@dataclass(frozen=True)
class Pkce:
    """A verifier and its challenge."""

    verifier: str
    challenge: str


def pkce(verifier: str = "") -> Pkce:
    """A fresh pair, or the one of a verifier."""
    verifier = verifier or secrets.token_urlsafe(48)
    digest = hashlib.sha256(verifier.encode()).digest()
    return Pkce(verifier, base64.urlsafe_b64encode(digest).rstrip(b"=").decode())


def browser() -> Client:
    """A browser at the hub's address that enforces CSRF as a real one would meet it."""
    return Client(enforce_csrf_checks=True, headers={"host": urlsplit(settings.TERTULIA_URL).netloc})


def metadata(client: Client) -> dict[str, Any]:
    """The authorization server's metadata."""
    return client.get("/.well-known/oauth-authorization-server").json()


def register(client: Client, **members: Any) -> Any:
    """Dynamic registration of a public client; `members` replace or add to what it says of itself."""
    body = {
        "client_name": "Driver",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        **members,
    }
    return client.post(reverse("oauth2_provider:dcr-register"), json.dumps(body), content_type="application/json")


def authorize_url(client_id: str, challenge: str, /, **parameters: Any) -> str:
    """An authorization request; a parameter given as None is left out, a list is repeated."""
    query = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": REDIRECT,
        "scope": "mcp",
        "state": "a state",
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "resource": settings.TERTULIA_RESOURCE,
        **parameters,
    }
    given = {name: value for name, value in query.items() if value is not None}
    return f"{reverse('oauth2_provider:authorize')}?{urlencode(given, doseq=True)}"


def fields(page: str, form: int = 0) -> dict[str, str]:
    """Names and values of the hidden fields of a page's form, as a browser would send them."""
    body = page.split("<form")[1 + form].split("</form>", maxsplit=1)[0]
    found = {}
    for tag in re.findall(r"<input[^>]*type=\"hidden\"[^>]*>", body):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name is not None:
            found[name[1]] = html.unescape(value[1]) if value else ""
    return found


def sign_in(client: Client, who: make.Person, *, next_: str = "", password: str = make.PASSWORD) -> Any:
    """Fill in the sign-in page; answers its response."""
    page = client.get(f"{reverse('sign-in')}?{urlencode({'next': next_})}")
    form = {**fields(page.content.decode()), "email": who.user.email, "password": password}
    return client.post(reverse("sign-in"), form)


def consent(client: Client, who: make.Person, url: str, *, decision: str = "allow") -> Any:
    """Follow an authorization link, sign in if asked to, and answer the consent page; its last response."""
    page = client.get(url)
    if page.status_code == 302 and page["Location"].startswith(reverse("sign-in")):
        next_ = parse_qs(urlsplit(page["Location"]).query)["next"][0]
        page = client.get(sign_in(client, who, next_=next_)["Location"])
    if page.status_code != 200:
        return page
    return client.post(url, {**fields(page.content.decode()), "decision": decision})


def answer(response: Any) -> dict[str, str]:
    """The parameters a client finds at its redirect address."""
    assert response.status_code == 302, response.content
    return {name: values[0] for name, values in parse_qs(urlsplit(response["Location"]).query).items()}


def exchange(client: Client, code: str, client_id: str, verifier: str | None, /, **parameters: Any) -> Any:
    """Ask the token endpoint for a code's tokens."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": client_id,
        "redirect_uri": REDIRECT,
        "code_verifier": verifier,
        **parameters,
    }
    return post_form(client, reverse("oauth2_provider:token"), form)


def refresh(client: Client, tokens: Tokens, /, **parameters: Any) -> Any:
    """Ask the token endpoint for fresh tokens."""
    form = {
        "grant_type": "refresh_token",
        "refresh_token": tokens.refresh,
        "client_id": tokens.client_id,
        **parameters,
    }
    return post_form(client, reverse("oauth2_provider:token"), form)


def revoke(client: Client, token: str, client_id: str, /, **parameters: Any) -> Any:
    """Give a token up (RFC 7009)."""
    return post_form(client, reverse("oauth2_provider:revoke-token"), {"token": token, "client_id": client_id, **parameters})


def post_form(client: Client, path: str, form: dict[str, Any]) -> Any:
    """A form as programs send it; None leaves a parameter out, a list repeats it."""
    body = urlencode({name: value for name, value in form.items() if value is not None}, doseq=True)
    return client.post(path, body, content_type="application/x-www-form-urlencoded")


def tokens_of(response: Any, client_id: str) -> Tokens:
    """The tokens in an answer of the token endpoint."""
    assert response.status_code == 200, response.content
    data = response.json()
    return Tokens(data["access_token"], data["refresh_token"], data["expires_in"], data["scope"], client_id)


def code_for(client: Client, who: make.Person, client_id: str, challenge: str, /, **parameters: Any) -> str:
    """The code the owner's consent gives."""
    return answer(consent(client, who, authorize_url(client_id, challenge, **parameters)))["code"]


def authorize(
    client: Client,
    who: make.Person,
    *,
    scopes: str = "mcp",
    client_id: str | None = None,
    name: str = "Driver",
    **parameters: Any,
) -> Tokens:
    """The whole way: registration (unless `client_id` is given), sign-in, consent, exchange."""
    known = client_id or register(client, client_name=name).json()["client_id"]
    pair = pkce()
    code = code_for(client, who, known, pair.challenge, scope=scopes, **parameters)
    return tokens_of(exchange(client, code, known, pair.verifier), known)


def sign_in_client(who: make.Person, *, scopes: str = "mcp", name: str = "Driver") -> Tokens:
    """Tokens of a new client of `who`, in a browser of its own."""
    return authorize(browser(), who, scopes=scopes, name=name)
