"""The hub as who is signed in there, for a program that runs for days: one refresh at a time, never a question to a person."""

import asyncio
from typing import Any

from tertulia.signing import Hub
from tertulia.store.credentials import SignIn
from tertulia.wire import Wire

ASK_SECONDS = 10.0


class Access:
    """Asks beside the event loop, one question after the other."""

    def __init__(self, held: SignIn) -> None:
        self._hub = Hub(Wire(held.hub), held)
        self._one_at_a_time = asyncio.Lock()

    @property
    def address(self) -> str:
        """Where the hub is."""
        return self._hub.address

    @property
    def token(self) -> str:
        """The access token that was good last."""
        return self._hub.held.access_token

    async def ask(self, method: str, path: str, **how: Any) -> Any:
        """As `Hub.ask`, without a second try while the hub is away; raises Problem."""
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._hub.ask, method, path, patience=0.0, read_seconds=ASK_SECONDS, **how)

    async def renew(self, refused: str) -> bool:
        """Get another token than the one that was refused, unless that has happened meanwhile; whether there is one."""
        async with self._one_at_a_time:
            return self.token != refused or await asyncio.to_thread(self._hub.refresh)
