"""The answer to a hook: a digest, or nothing."""

from collections.abc import Iterator
from datetime import timedelta

import structlog
from django.db import transaction

from chat import digest, store
from chat.cursors.actions import offer
from chat.hooks import actions
from chat.hooks.events import EVENTS, Event, Says
from chat.hooks.store import Held, held
from chat.inbox import count_unread, newest_unread
from chat.values import Standing, handle_target
from core import clock
from core.actor import ALL_SCOPES, Actor, Door
from core.locks import short_wait
from core.registry import digest_blocks

log = structlog.get_logger(__name__)
CHAT = "chat.read"
BUSY_SECONDS = 0.15
"""How long a hook waits for the database: its harness waits 200 ms in all."""
NOTICE_APART = timedelta(seconds=60)


def answer(launch_id: int, event: str, scopes: frozenset[str] = frozenset({ALL_SCOPES})) -> str:
    """What is put before the model at this event of a launch's harness; empty for nothing, and for whatever goes wrong.

    `scopes` are those of the token that asks. Writes only the launch's attendance and that its mentions were offered.
    """
    known = EVENTS.get(event)
    if known is None:
        return ""
    try:
        with short_wait(BUSY_SECONDS):
            return _answer(launch_id, known, event, scopes)
    except Exception:
        log.warning("hook_unanswered", launch=launch_id, hook=event, exc_info=True)
        return ""


def _answer(launch_id: int, event: Event, name: str, scopes: frozenset[str]) -> str:
    launch = held(launch_id)
    if launch is None:
        return ""
    standing = store.standing(launch.account_id, launch.connection_id, launch_id)
    if not standing.alive:
        return ""
    reads = bool({ALL_SCOPES, CHAT} & scopes)
    own = _of_chat(launch, standing, event) if standing.handle and reads else ""
    return "\n\n".join(filter(None, [own, *_blocks(launch, name, scopes)]))


def _blocks(launch: Held, event: str, scopes: frozenset[str]) -> Iterator[str]:
    """What other parts of the hub put before the model; one that fails costs itself alone."""
    actor = Actor(
        door=Door.WEBSOCKET,
        account_id=launch.account_id,
        user_id=launch.user_id,
        connection_id=launch.connection_id,
        launch_id=launch.launch_id,
        scopes=scopes,
        label=launch.profile,
    )
    for block_name, block in digest_blocks.items():
        try:
            yield block(actor, event)
        except Exception:
            log.warning("hook_block_failed", launch=launch.launch_id, block=block_name, exc_info=True)


def _of_chat(launch: Held, standing: Standing, event: Event) -> str:
    """The chat's digest; notes the event, and what was told, in one transaction."""
    if event.says == Says.NOTHING or not standing.allowed:
        actions.note(launch, event)
        return ""
    target = handle_target(standing.handle)
    unread, latest = count_unread(launch.account_id, target)
    text = _text(launch, event.says, standing.handle, unread, latest)
    with transaction.atomic():
        actions.note(launch, event, told=latest if text else 0, noticed=bool(text) and event.says == Says.NOTICE)
        if text and unread:
            offer(launch.account_id, target, by="digest")
    return text


def _text(launch: Held, says: Says, handle: str, unread: int, latest: int) -> str:
    if says == Says.START:
        return digest.start(handle, unread)
    if says == Says.PROMPT:
        shown = newest_unread(launch.account_id, handle_target(handle), digest.MENTIONS_SHOWN) if unread else []
        return digest.prompt(handle, unread, shown)
    is_new = latest > launch.told_seq
    rested = launch.noticed_at is None or clock.now() - launch.noticed_at >= NOTICE_APART
    return digest.notice(handle, unread) if is_new and rested else ""
