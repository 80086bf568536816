"""What the owner clears himself: what is past its time, or all there is."""

from django.utils.translation import gettext as _

from audit.actions import record
from chat.models import ChatSettings, Counter, Message
from chat.news import chat_key
from chat.permissions import account_of, may_decide
from chat.pruning import expired, remove
from core import news
from core.actor import Actor, system
from core.errors import Forbidden, Invalid

WORD = "purge"


def prune_now(actor: Actor) -> int:
    """Delete what is older than the owner keeps it, without waiting for the hour; answers how many messages went.

    Raises Forbidden (not the owner in person).
    """
    account_id = _own_account(actor)
    rows = expired(ChatSettings.objects.get(account_id=account_id))
    gone = remove(system(account_id=account_id), account_id, rows, _untold)
    if gone:
        record(actor, "chat.pruned", target=f"account:{account_id}", messages=gone)
        news.publish_on_commit(chat_key(account_id))
    return gone


def purge(actor: Actor, *, word: str) -> int:
    """Delete every message stored so far; numbers go on where they stood. Answers how many went.

    Raises Forbidden (not the owner in person), Invalid (the word typed is another than `purge`: nothing is deleted).
    """
    account_id = _own_account(actor)
    if word != WORD:
        raise Invalid(_("Type %(word)s to delete every message; nothing was deleted.") % {"word": WORD}, code="invalid_word")
    latest = Counter.objects.values_list("last_seq", flat=True).get(account_id=account_id)
    rows = Message.objects.filter(account_id=account_id, seq__lte=latest)
    gone = remove(system(account_id=account_id), account_id, rows, _untold)
    record(actor, "chat.purged", target=f"account:{account_id}", messages=gone, up_to=latest)
    news.publish_on_commit(chat_key(account_id))
    return gone


def _own_account(actor: Actor) -> int:
    if not may_decide(actor):
        raise Forbidden(
            _("Only the owner in person clears the chat; do it with tertulia chat prune or tertulia chat purge."),
            code="owner_only",
        )
    return account_of(actor)


def _untold(rows: int) -> None:
    """Nobody watches the batches."""
