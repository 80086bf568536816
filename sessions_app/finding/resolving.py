"""Which session a caller means by a key, an id or a label."""

import uuid

from core.errors import Conflict, NotFound
from sessions_app import keys
from sessions_app.models import Session, SessionSettings

UNKNOWN = "There is no session of that key, id or label; sessions_list shows those you can see."
TIED = "This session id stands for more than one session; name its key, as sessions_list shows it."


def resolve(account_id: int, given: str, requester: Session | None = None) -> Session:
    """The living session of this key (or the alias `main`), else the one whose transcript has this id.

    `main` means the main session of the requester's own agent. An id that several share is that of the session whose key ends
    with it, else of the one used last. Raises NotFound, and Conflict where neither decides.
    """
    living = Session.objects.filter(account_id=account_id, archived_at=None)
    parsed = keys.parse(given[: keys.LONGEST_KEY + 1], _default_agent(account_id, requester))
    named: Session | None = living.filter(key=parsed.key).first()
    if named is not None:
        return named
    if parsed.key == keys.main_key(parsed.agent) and parsed.agent == _default_agent(account_id, None):
        shared: Session | None = living.filter(key="global").first()
        if shared is not None and _is_global(account_id):
            return shared
    return _by_id(account_id, given.strip().lower())


def by_label(account_id: int, label: str) -> Session:
    """The living session that is labelled so; raises NotFound."""
    found: Session | None = Session.objects.filter(account_id=account_id, archived_at=None, label=label.strip()).first()
    if found is None or not label.strip():
        raise NotFound(UNKNOWN)
    return found


def _by_id(account_id: int, given: str) -> Session:
    try:
        wanted = uuid.UUID(given)
    except ValueError:
        raise NotFound(UNKNOWN) from None
    living = Session.objects.filter(account_id=account_id, archived_at=None, session_id=wanted)
    found: list[Session] = list(living.order_by("-updated_at")[:50])
    ending = [each for each in found if each.key.endswith(str(wanted))]
    if len(ending) == 1:
        return ending[0]
    if not found:
        raise NotFound(UNKNOWN)
    if len(found) > 1 and found[0].updated_at == found[1].updated_at:
        raise Conflict(TIED)
    return found[0]


def _default_agent(account_id: int, requester: Session | None) -> str:
    if requester is not None:
        return requester.agent
    return str(SessionSettings.objects.values_list("default_agent", flat=True).get(pk=account_id))


def _is_global(account_id: int) -> bool:
    return SessionSettings.objects.filter(pk=account_id, scope="global").exists()
