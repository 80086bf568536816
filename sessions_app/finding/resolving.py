"""Which session a caller means by a key, an id or a label."""

import uuid

from core.errors import Conflict, DomainError, NotFound
from core.text import first_control_character
from sessions_app import keys
from sessions_app.labels import named_label
from sessions_app.models import Agent, Session, SessionSettings
from sessions_app.permissions import check_reach, check_unknown

UNKNOWN = "There is no session of that key, id or label; sessions_list shows those you can see."
TIED = "This session id stands for more than one session; name its key, as sessions_list shows it."
MOST_OF_ONE_ID = 50


def resolve(account_id: int, given: str, requester: Session | None = None) -> Session:
    """The living session of this key (or the alias `main`), else the one whose transcript has this id.

    `main` means the main session of the requester's own agent, and a key without `agent:<id>:` one of its agent's, unless
    there is one of exactly that key. An id that several share is that of the session whose key ends with it, else of the one
    used last. Raises NotFound, and Conflict where neither decides; to a requester who would not see it anyhow, Forbidden:
    it does not learn what there is. Whether it may reach what is found is `check_reach`'s.
    """
    kept = SessionSettings.objects.get(pk=account_id)
    agent = kept.default_agent if requester is None else requester.agent
    if first_control_character(given) is not None:
        raise NotFound(UNKNOWN)
    key = keys.parse(given[: keys.LONGEST_KEY + 1], agent, scope=kept.scope).key
    named = _by_keys(account_id, key, f"agent:{agent}:{key}")
    if named is not None:
        return named
    try:
        return _by_id(account_id, key)
    except DomainError:
        check_unknown(kept, requester, key)
        raise


def reach(kept: SessionSettings, requester: Session | None, given: str, deed: str) -> Session:
    """The session that is meant, if the requester may reach it; raises as `resolve` does, and Forbidden."""
    target = resolve(kept.account_id, given, requester)
    check_reach(kept, requester, target, deed)
    return target


def main_of(kept: SessionSettings, requester: Session | None, given: str) -> str | None:
    """The key, if it is that of the main session of an agent that is set up and switched on, whether it was made yet or not."""
    own = kept.default_agent if requester is None else requester.agent
    parsed = keys.parse(given[: keys.LONGEST_KEY + 1], own, scope=kept.scope)
    shared = parsed.key == keys.GLOBAL and kept.scope == keys.GLOBAL
    if not shared and parsed.key != keys.main_key(parsed.agent):
        return None
    is_there = Agent.objects.filter(account_id=kept.account_id, slug=parsed.agent, enabled=True).exists()
    return parsed.key if is_there else None


def by_label(account_id: int, label: str, requester: Session | None = None) -> Session:
    """The living session that is labelled so; raises NotFound (or Forbidden, as `resolve` does), and Invalid for no label."""
    wanted = named_label(label)
    found: Session | None = Session.objects.filter(account_id=account_id, archived_at=None, label=wanted).first()
    if found is None:
        check_unknown(SessionSettings.objects.get(pk=account_id), requester, f"label:{wanted}")
        raise NotFound(UNKNOWN)
    return found


def _by_keys(account_id: int, exact: str, of_agent: str) -> Session | None:
    living = Session.objects.filter(account_id=account_id, archived_at=None, key__in={exact, of_agent})
    found = {each.key: each for each in living}
    return found.get(exact) or found.get(of_agent)


def _by_id(account_id: int, given: str) -> Session:
    try:
        wanted = uuid.UUID(given)
    except ValueError:
        raise NotFound(UNKNOWN) from None
    living = Session.objects.filter(account_id=account_id, archived_at=None, session_id=wanted)
    found: list[Session] = list(living.order_by("-updated_at")[:MOST_OF_ONE_ID])
    ending = [each for each in found if each.key.endswith(str(wanted))]
    if len(ending) == 1:
        return ending[0]
    if not found:
        raise NotFound(UNKNOWN)
    if len(found) > 1 and found[0].updated_at == found[1].updated_at:
        raise Conflict(TIED)
    return found[0]
