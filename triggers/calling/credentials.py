"""What the hub shows a push server: its owner's headers, and the token of his sign-in, renewed in time."""

import asyncio
from typing import NamedTuple

import structlog

from core import clock, executors
from core.errors import DomainError
from triggers.calling import actions
from triggers.calling.signing import exchange, web
from triggers.calling.signing.keeping import SignIn, opened
from triggers.models import PushServer
from triggers.servers import sealed

log = structlog.get_logger(__name__)
LOOK_SECONDS = 0.2
"""How often is looked whether another process has renewed the token."""


class Held(NamedTuple):
    """What lies in the server's row."""

    url: str = ""
    headers: bytes | None = None
    sign_in: bytes | None = None


async def headers_for(server: PushServer, *, renew: bool = False) -> dict[str, str]:
    """Headers for the next request to the server; `renew` after it refused those of before with 401.

    Reads the row afresh: the given server may be as old as one likes. Where its owner has named another address since, there are
    none: what he gave for that one is not for this. A token that cannot be renewed is left out, so that the server itself
    refuses: the caller then says that its owner must sign in. Raises Invalid where secrets cannot be opened.
    """
    held = await executors.read(_held, server.pk)
    if held.url != server.url:
        return {}
    headers = sealed.opened(held.headers, sealed.HEADERS)
    token = await _token(server.pk, held, renew=renew)
    if token:
        headers = {name: value for name, value in headers.items() if name.lower() != "authorization"}
        headers["Authorization"] = f"Bearer {token}"
    return headers


async def _token(server_id: int, held: Held, *, renew: bool) -> str:
    """The token to show; empty where there is none that holds."""
    signing, now = opened(held.sign_in), clock.now()
    if held.sign_in is None or signing is None or signing.token is None or signing.server_url != held.url:
        return ""
    if signing.is_fresh(now) and (not renew or signing.is_new(now)):
        return signing.token.access_token
    if not signing.can_renew():
        return ""
    if signing.is_being_renewed(now):
        return await _renewed_elsewhere(server_id, held.url)
    claim = signing.claimed(now).sealed()
    if not await executors.write(actions.replace_sign_in, server_id, held.sign_in, claim):
        return await _renewed_elsewhere(server_id, held.url)
    return await _renewed(server_id, signing, claim)


async def _renewed(server_id: int, signing: SignIn, claim: bytes) -> str:
    """Ask for another token, under the claim of this process."""
    try:
        async with web.client() as http:
            following = signing.renewed(await exchange.token_for_refresh(http, signing), clock.now())
    except exchange.Refused:
        following = signing.refused()
    except DomainError as failed:
        log.info("push_server_token_not_renewed", server=server_id, why=failed.detail)
        following = signing.released()
    await executors.write(actions.replace_sign_in, server_id, claim, following.sealed())
    return following.token.access_token if following.token is not None and following.is_fresh(clock.now()) else ""


async def _renewed_elsewhere(server_id: int, url: str) -> str:
    """What another process made of it, once it is done; nothing where that is for another address by then."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        signing, now = opened((await executors.read(_held, server_id)).sign_in), clock.now()
        if signing is None or signing.server_url != url:
            return ""
        if not signing.is_being_renewed(now):
            return signing.token.access_token if signing.token and signing.is_fresh(now) else ""


def _held(server_id: int) -> Held:
    found = PushServer.objects.filter(pk=server_id).values_list("url", "headers_encrypted", "sign_in_encrypted").first()
    if found is None:
        return Held()
    url, *secrets = found
    return Held(url, *(None if each is None else bytes(each) for each in secrets))
