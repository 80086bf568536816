"""Who a bearer token speaks for: the one check every door with a token makes."""

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from accounts import actions, store
from accounts.oauth.resources import denotes_hub
from accounts.tokens import is_plausible
from core import executors
from core.actor import Actor, Door
from core.errors import DomainError, Unauthenticated
from core.memory import ShortMemory
from core.news import board
from core.registry import Registry

log = structlog.get_logger(__name__)
CACHE_SECONDS = 5.0
CACHE_SIZE = 4096
SPEAKER = "speaker"
REFUSAL = "This access token is unknown, expired or revoked; sign in again."


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerIdentity:
    """What a sound token says. `expires_at` is in unix seconds; `unused`: its connection had not called before.

    `session_id`, `session_name`, `tool_names`: of a session whose run the hub itself executes, see `Actor`.
    """

    account_id: int
    user_id: int
    connection_id: str
    client_id: str
    client_name: str
    scopes: frozenset[str]
    expires_at: float
    unused: bool = False
    session_id: int | None = None
    session_name: str = ""
    tool_names: tuple[str, ...] | None = None

    def actor(self, door: Door) -> Actor:
        """The agent behind the token, come in by `door`; raises Unauthenticated where a run's token tries another than MCP's,
        where nothing heeds which tools that run may use."""
        if self.tool_names is not None and door is not Door.MCP:
            raise Unauthenticated(REFUSAL)
        return Actor(
            door=door,
            account_id=self.account_id,
            user_id=self.user_id,
            connection_id=self.connection_id,
            scopes=self.scopes,
            label=self.client_name,
            session_id=self.session_id,
            session_name=self.session_name,
            tool_names=self.tool_names,
        )


class BearerCache:
    """Identities found in the last seconds, by the token's hash. Never outlives a token, is forgotten on revocation.

    `wall` gives unix seconds (a token's expiry), `clock` monotonic seconds (the age of an entry).
    """

    def __init__(self, *, wall: Callable[[], float] = time.time, clock: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._memory: ShortMemory[BearerIdentity] = ShortMemory(seconds=CACHE_SECONDS, size=CACHE_SIZE, clock=clock)

    def authenticate(self, token: str) -> BearerIdentity:
        """The identity behind `token`; raises Unauthenticated, with one answer for every reason."""
        if not is_plausible(token):
            raise Unauthenticated(REFUSAL)
        checksum, epoch = hashlib.sha256(token.encode()).hexdigest(), self._memory.epoch
        identity = self._memory.get(checksum)
        if identity is None:
            identity = _of_another_kind(token, checksum) or look_up(checksum)
            self._memory.keep(checksum, identity, epoch)
        if identity.expires_at <= self._wall():
            raise Unauthenticated(REFUSAL)
        return identity

    def remembered(self, token: str) -> BearerIdentity | None:
        """The identity behind `token` if memory knows it to be sound; never asks the database, so an event loop may call it."""
        if not is_plausible(token):
            return None
        identity = self._memory.get(hashlib.sha256(token.encode()).hexdigest())
        return identity if identity is not None and self._wall() < identity.expires_at else None

    def forget(self, key: str) -> None:
        """Hear the news `connection:<id>`: nothing of that connection is answered from memory any more."""
        connection_id = key.partition(":")[2]
        self._memory.forget(lambda identity: identity.connection_id == connection_id)

    def forget_speaker(self, key: str) -> None:
        """Hear the news `speaker:<session>`: the run by which that session spoke has ended."""
        session_id = key.partition(":")[2]
        self._memory.forget(lambda identity: str(identity.session_id) == session_id)

    def clear(self) -> None:
        """Forget everything."""
        self._memory.forget(lambda identity: True)


token_kinds: Registry[Callable[[str], BearerIdentity | None]] = Registry("kind of token")
"""Tokens of other floors by their prefix: answers the identity of the one with this SHA-256, or None."""


def speaker_key(session_pk: int) -> str:
    """The news key that rings when a session may no longer speak by a token of its run."""
    return f"{SPEAKER}:{session_pk}"


def _of_another_kind(token: str, checksum: str) -> BearerIdentity | None:
    found = (find(checksum) for prefix, find in token_kinds.items() if token.startswith(prefix))
    return next((identity for identity in found if identity is not None), None)


def look_up(checksum: str) -> BearerIdentity:
    """The identity of the access token with this SHA-256, in one query; raises Unauthenticated."""
    row = store.spoken_for(checksum)
    if row is None or not _is_for_this_hub(row.resource):
        raise Unauthenticated(REFUSAL)
    return BearerIdentity(
        account_id=row.account_id,
        user_id=row.user_id,
        connection_id=row.connection_id,
        client_id=row.client_id or "",
        client_name=row.client_name,
        scopes=frozenset(row.scope.split()),
        expires_at=row.expires.timestamp(),
        unused=bool(row.unused),
    )


def _is_for_this_hub(resource: object) -> bool:
    """A grant is bound to this hub when it is given, so a token that names no resource is none of ours."""
    return isinstance(resource, list) and any(denotes_hub(each, settings.TERTULIA_URL) for each in resource)


class UsageRecorder:
    """When connections were last used: kept in memory and written once a minute, so that reads write nothing."""

    def __init__(self, now: Callable[[], datetime] = timezone.now) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._last: dict[str, datetime] = {}
        self._begun: set[str] = set()

    def note(self, connection_id: str) -> None:
        """This connection was used just now."""
        with self._lock:
            self._last[connection_id] = self._now()

    def has_begun(self, connection_id: str) -> bool:
        """Whether this process wrote its first use since the last flush; needs no thread, so an event loop may ask."""
        return connection_id in self._begun

    def begin(self, identity: BearerIdentity) -> None:
        """Write at once what may be the first use of a connection; its owner waits on a page for that. Once, as far as this
        process remembers; what fails is left to the next flush."""
        with self._lock:
            if identity.connection_id in self._begun:
                return
            self._begun.add(identity.connection_id)
        try:
            actions.note_first_use(account_id=identity.account_id, connection_id=identity.connection_id, moment=self._now())
        except (DomainError, DatabaseError):
            log.info("first_use_not_written", connection=identity.connection_id)

    def flush(self) -> int:
        """Write what was noted since the last flush; answers how many connections. What failed is kept for the next."""
        with self._lock:
            noted, self._last = self._last, {}
            self._begun.clear()  # what was written is known to the database, and memory of tokens is shorter than a minute
        try:
            actions.note_use(noted)
        except Exception:
            with self._lock:
                self._last = noted | self._last
            raise
        return len(noted)


cache = BearerCache()
"""The cache of this process; `accounts.apps` lets it hear the news."""
usage = UsageRecorder()
"""The recorder of this process."""
authenticate = cache.authenticate


async def actor_behind(token: str | None, door: Door) -> Actor:
    """Who comes in by `door` with this token, noted as used; raises Unauthenticated. What memory knows needs no thread."""
    if token is None:
        raise Unauthenticated("Send an access token in the Authorization header.", code="token_missing")
    identity = cache.remembered(token)
    if identity is None:
        identity = await executors.read(authenticate, token)
    usage.note(identity.connection_id)
    if identity.unused and not usage.has_begun(identity.connection_id):
        await executors.write(usage.begin, identity)
    return identity.actor(door)


def listen() -> None:
    """Hear revocations; called once, when the app is ready."""
    board.on("connection", cache.forget)
    board.on(SPEAKER, cache.forget_speaker)
