"""Which launch a caller is: proved by the credential that its launcher made and nobody else holds."""

import hashlib
from dataclasses import dataclass, replace

from accounts.launches.news import LAUNCH, launch_key
from accounts.models import Launch
from core import executors
from core.actor import Actor
from core.errors import Gone, NotFound
from core.memory import ShortMemory
from core.news import board

HEADER = "tertulia-launch"
CACHE_SECONDS = 5.0
CACHE_SIZE = 4096
LONGEST = 128
UNKNOWN, ENDED = "launch_unknown", "launch_ended"


@dataclass(frozen=True, slots=True)
class KnownLaunch:
    """What a credential proves."""

    launch_id: int
    key: str
    connection_id: str
    ended: bool


memory: ShortMemory[KnownLaunch] = ShortMemory(seconds=CACHE_SECONDS, size=CACHE_SIZE)
"""Live launches found in the last seconds, by the hash of the credential."""


def digest_of(credential: str) -> str:
    """What the database keeps of a credential."""
    return hashlib.sha256(credential.encode()).hexdigest()


def launch_unknown() -> NotFound:
    """The one answer to an unknown credential, a foreign one, and one registered through another connection."""
    return NotFound("No launch with this credential is registered through this connection; register it again.", code=UNKNOWN)


def launch_has_ended() -> Gone:
    """The refusal of a launch that is over."""
    return Gone("This launch has ended; start the agent anew with tertulia launch.", code=ENDED)


async def with_launch(actor: Actor, credential: str | None) -> Actor:
    """The actor as the launch that this credential proves; raises NotFound, Gone. What memory knows needs no thread."""
    digest = _digest_of_one(credential)
    known = memory.get(digest)
    if known is None:
        known = await executors.read(_look_up, digest)
    return _as_launch(actor, known)


def actor_of_launch(actor: Actor, credential: str | None, *, key: str) -> Actor:
    """As `with_launch`, where a plain function asks, and for the launch of this key alone."""
    known = _look_up(_digest_of_one(credential))
    if known.key != key:
        raise launch_unknown()
    return _as_launch(actor, known)


def _digest_of_one(credential: str | None) -> str:
    if credential is None or not 0 < len(credential) <= LONGEST or not credential.isascii():
        raise launch_unknown()
    return digest_of(credential)


def _as_launch(actor: Actor, known: KnownLaunch) -> Actor:
    if known.connection_id != actor.connection_id:
        raise launch_unknown()
    if known.ended:
        raise launch_has_ended()
    return replace(actor, launch_id=known.launch_id)


def _look_up(digest: str) -> KnownLaunch:
    epoch = memory.epoch
    row = Launch.objects.filter(credential=digest).values_list("pk", "key", "connection_id", "ended_at").first()
    if row is None:
        raise launch_unknown()
    known = KnownLaunch(launch_id=row[0], key=row[1], connection_id=row[2], ended=row[3] is not None)
    if not known.ended:
        memory.keep(digest, known, epoch)
    return known


def listen() -> None:
    """Hear of launches that end or move to another connection; called once, when the app is ready."""
    board.on(LAUNCH, lambda key: memory.forget(lambda known: launch_key(known.launch_id) == key))
