"""What agents are told unasked: the newest push messages, by their hooks and at the end of their system prompts."""

from chat.hooks.events import EVENTS, Says
from core.actor import Actor
from sessions_app.models import Run
from triggers.inbox.reading import recent
from triggers.models import PushMessage, TriggerSettings
from triggers.telling.block import block
from triggers.values import RECENT_SHOWN

SCOPE = "channels.read"


def digest(actor: Actor, event: str) -> str:
    """The block, for the prompt of a launch whose token may read push messages; nothing at any other event."""
    is_prompt = event in EVENTS and EVENTS[event].says == Says.PROMPT
    return _told(actor.account_id) if is_prompt and actor.has_scope(SCOPE) else ""


def is_told(actor: Actor) -> bool:
    """Whether a prompt of this launch would be told something now."""
    if actor.account_id is None or not actor.has_scope(SCOPE):
        return False
    live = PushMessage.objects.filter(account_id=actor.account_id, cleared=False)
    return live.exists() and _wanted(actor.account_id)


def in_prompt(run: Run) -> str:
    """The block, for a run that the hub executes."""
    return _told(run.account_id)


def _told(account_id: int | None) -> str:
    if account_id is None or not _wanted(account_id):
        return ""
    return block(recent(account_id, RECENT_SHOWN))


def _wanted(account_id: int) -> bool:
    """Whether the owner lets agents see push messages with their prompts."""
    return bool(TriggerSettings.objects.filter(pk=account_id, in_prompts=True).exists())
