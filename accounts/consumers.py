"""WebSockets of a signed-in person's pages. They only tell; what a page changes goes by its forms."""

import asyncio
import time
from typing import Any

import structlog
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from accounts.sessions import actor_from_cookies
from core import executors, news
from core.actor import Actor, Door
from core.errors import DomainError, Forbidden
from core.held import Places
from core.mounts import headers_of
from core.registry import live_keys

PAUSE_SECONDS = 0.5
"""Between two hints to a page, at least: more would only make it draw the same again."""
LONGEST_PAUSE = 10.0
SHARE = 10
"""A page whose news takes long to look up is told less often: it keeps a reader busy for one part in `SHARE` at most."""
LOOK_SECONDS = 20.0
"""How long a page of somebody who signed out may stay connected, at most."""
NOBODY, REFUSED, SPOKEN_TO, FAILED = 4401, 4403, 4400, 1011
log = structlog.get_logger(__name__)
pages = Places("pages")


def pause_after(seconds: float) -> float:
    """How long to rest after a look that took `seconds`."""
    return min(max(PAUSE_SECONDS, SHARE * seconds), LONGEST_PAUSE)


class PersonConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """A page's line to the hub, for as long as its person is signed in. Subclasses say what to watch and what to tell."""

    channel_layer_alias = "none"  # news travels by core.news

    _work: asyncio.Task[None] | None = None
    _ended = False

    async def connect(self) -> None:
        """Accept, then say by a close code why not: a browser shows a page nothing of a refused handshake."""
        await self.accept()
        try:
            actor = await executors.read(self.actor)
            self.begin()
        except DomainError as refusal:
            await self.end(NOBODY if refusal.status == 401 else REFUSED)
            return
        self._work = asyncio.ensure_future(self._serve(actor))

    async def end(self, code: int) -> None:
        """Close once."""
        if not self._ended:
            self._ended = True
            await self.close(code)

    async def disconnect(self, code: int) -> None:
        """End with the page."""
        self._ended = True
        if self._work is not None:
            self._work.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        """Pages have nothing to say here."""
        await self.end(SPOKEN_TO)

    def actor(self) -> Actor:
        """Whoever is signed in now; asks the database. Raises Unauthenticated, Forbidden."""
        actor = actor_from_cookies(headers_of(self.scope).get("cookie", ""), Door.WEBSOCKET)
        if actor.account_id is None:
            raise Forbidden("You have no account of your own; sign in as an owner.")
        return actor

    def begin(self) -> None:
        """Read the address's parameters; raises Invalid."""

    def keys(self, account_id: int) -> list[str]:
        """Which news to hear."""
        raise NotImplementedError

    async def tell(self, rung: frozenset[str]) -> None:
        """Say what is new after these keys rang (none: just connected)."""
        raise NotImplementedError

    async def _serve(self, actor: Actor) -> None:
        assert actor.account_id is not None
        try:
            with pages.take(f"user:{actor.user_id}"), news.board.watch(*self.keys(actor.account_id)) as watch:
                await self.tell(frozenset())
                while True:
                    rung = await watch.wait(LOOK_SECONDS)
                    await executors.read(self.actor)
                    if rung:
                        began = time.monotonic()
                        await self.tell(rung)
                        await asyncio.sleep(pause_after(time.monotonic() - began))
        except DomainError as refusal:
            await self.end(NOBODY if refusal.status == 401 else REFUSED)
        except OSError:  # the page has gone
            return
        except Exception:  # a page kept open would hear nothing any more, and not come back by itself
            log.exception("page_failed")
            await self.end(FAILED)


class LiveConsumer(PersonConsumer):
    """Tells which parts of a page have changed: `{"changed": ["chat"]}`; the page fetches them itself."""

    def keys(self, account_id: int) -> list[str]:
        """Whatever any app lets pages renew themselves by."""
        self._names = {key(account_id): name for name, key in live_keys.items()}
        return list(self._names)

    async def tell(self, rung: frozenset[str]) -> None:
        """Name the parts. Whoever just connected may have missed any: a page that comes back renews all."""
        await self.send_json({"changed": sorted({self._names[key] for key in rung} if rung else self._names.values())})
