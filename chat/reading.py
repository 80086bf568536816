"""Reads of the chat: after a cursor, with exclusions."""

from chat import store
from chat.permissions import account_of, chat_is_off, check_standing, not_admitted, require_scope
from chat.topics import check_topic, is_session_name
from chat.values import MOST_EXCLUSIONS, MOST_SEQ, PAGE_MOST, Exclusions, Page
from core.actor import Actor
from core.errors import Invalid


def read_page(actor: Actor, *, after: int, limit: int = PAGE_MOST, exclusions: Exclusions | None = None) -> Page:
    """Messages numbered above `after`, oldest first, at most `limit`. Writes nothing.

    Raises Invalid (a cursor beyond the latest number names it), Forbidden (scope, owner's switch).
    """
    account_id = account_of(actor)
    require_scope(actor, "chat.read")
    check_cursor(after)
    check_limit(limit)
    found = store.read_page(account_id, after, limit, check_exclusions(exclusions or Exclusions()))
    if found is None or not found[1]:
        raise chat_is_off()
    page, _, granted_only = found
    if actor.launch_id is not None:
        check_standing(store.standing(account_id, actor.connection_id, actor.launch_id))
    elif granted_only and actor.is_agent:
        raise not_admitted()
    check_not_ahead(after, page.latest_seq)
    return page


def check_limit(limit: int) -> None:
    """Raise Invalid for more or fewer messages than a page takes."""
    if not 1 <= limit <= PAGE_MOST:
        raise Invalid(f"limit takes a whole number from 1 to {PAGE_MOST}.")


def check_not_ahead(after: int, latest_seq: int) -> None:
    """Raise Invalid for a cursor beyond the latest number, and name that."""
    if after > latest_seq:
        raise Invalid(
            f"after is {after}, but the latest message is #{latest_seq}; go on after {latest_seq}.", code="cursor_ahead"
        )


def check_cursor(after: int) -> int:
    """The cursor itself; raises Invalid out of range."""
    if not 0 <= after <= MOST_SEQ:
        raise Invalid("after takes the last_seq of your last answer, or 0 to read from the start.")
    return after


def check_exclusions(exclusions: Exclusions) -> Exclusions:
    """The exclusions themselves; raises Invalid for a malformed topic or name, or for too many."""
    if len(exclusions.topics) > MOST_EXCLUSIONS or len(exclusions.sessions) > MOST_EXCLUSIONS:
        raise Invalid(f"At most {MOST_EXCLUSIONS} topics and {MOST_EXCLUSIONS} session names can be excluded; name fewer.")
    for topic in exclusions.topics:
        check_topic(topic)
    if not all(is_session_name(name) for name in exclusions.sessions):
        raise Invalid("An excluded session name takes 1 to 64 printable characters, exactly as its messages show it.")
    return exclusions
