"""Who may do what with sessions."""

from core.actor import Actor
from core.errors import Forbidden
from sessions_app import keys, policy, visibility
from sessions_app.models import Agent, Session, SessionSettings

DEEPEST = 16
FORBIDDEN, POLICY = "session_forbidden", "send_policy_denied"
DENIED = "The send policy does not let messages into this session; ask the owner to change sendPolicy, or say /send on there."


class Refused(Forbidden):
    """A deed that the owner's settings keep a session from; the log tells of `deed` and the session's `key`."""

    def __init__(self, detail: str, *, code: str, deed: str, key: str = "") -> None:
        super().__init__(detail, code=code)
        self.deed, self.key = deed, key


def check_read(actor: Actor) -> None:
    """Raises Forbidden for a token that may not list sessions and read their history."""
    _require(actor, "sessions.read")


def check_send(actor: Actor) -> None:
    """Raises Forbidden for a token that may not send; sending needs no right to read."""
    _require(actor, "sessions.send")


def check_spawn(actor: Actor) -> None:
    """Raises Forbidden for a token that may not start sub-agents."""
    _require(actor, "sessions.spawn")


def _require(actor: Actor, scope: str) -> None:
    if actor.is_agent and not actor.has_scope(scope):
        raise Forbidden(f"This connection was authorized without {scope}; sign in again and allow it.", code="insufficient_scope")


def rules_of(kept: SessionSettings) -> visibility.Rules:
    """The owner's settings as the pure rules take them."""
    return visibility.Rules(
        level=kept.visibility,
        sandbox=kept.sandbox_visibility,
        agent_to_agent=kept.agent_to_agent,
        pairs=[str(each) for each in kept.agent_to_agent_allow or ()],
    )


def ancestors_of(session: Session) -> tuple[str, ...]:
    """The keys of the sessions it was spawned by, nearest first; a circle or a gap ends the walk."""
    found: list[str] = []
    above = session.spawned_by
    while above and above not in found and len(found) < DEEPEST:
        found.append(above)
        parents = Session.objects.filter(account_id=session.account_id, key=above).order_by("-id")
        above = parents.values_list("spawned_by", flat=True).first() or ""
    return tuple(found)


def is_sandboxed(session: Session) -> bool:
    """Whether the session, or its agent, runs in a sandbox."""
    if session.sandboxed:
        return True
    return bool(Agent.objects.filter(account_id=session.account_id, slug=session.agent, sandboxed=True).exists())


def seen(session: Session, *, as_requester: bool = False) -> visibility.Seen:
    """Of a session what the rules of visibility ask for."""
    return visibility.Seen(
        key=session.key,
        agent=session.agent,
        ancestors=() if as_requester else ancestors_of(session),
        sandboxed=as_requester and is_sandboxed(session),
    )


def check_reach(kept: SessionSettings, requester: Session | None, target: Session, deed: str) -> None:
    """Raises Forbidden, naming the setting, where the requester's session may not reach the target. Persons and the hub
    (`requester` None) reach everything of the account. `deed` is what was tried: list, history, send, status."""
    if requester is None:
        return
    reason = visibility.refusal(rules_of(kept), seen(requester, as_requester=True), seen(target))
    if reason:
        raise Refused(reason, code=FORBIDDEN, deed=deed, key=target.key)


def check_unknown(kept: SessionSettings, requester: Session | None, given: str) -> None:
    """Raises Forbidden for the name of a session that is not there, just where it would for one that is and is out of sight:
    the two are never told apart."""
    if requester is None:
        return
    parsed = keys.parse(given[: keys.LONGEST_KEY], requester.agent, scope=kept.scope)
    nobody = visibility.Seen(key=parsed.key, agent=parsed.agent)
    if reason := visibility.refusal(rules_of(kept), seen(requester, as_requester=True), nobody):
        raise Refused(reason, code=FORBIDDEN, deed="find")


def may_deliver(kept: SessionSettings, session: Session) -> bool:
    """Whether the send policy lets what is said in the session leave it."""
    return policy.allows(kept.send_policy, session.send_policy, place_of(session))


def check_delivery(kept: SessionSettings, session: Session) -> None:
    """Raises Forbidden, naming the policy, where nothing may be sent into the session for delivery."""
    if not may_deliver(kept, session):
        raise Refused(DENIED, code=POLICY, deed="send", key=session.key)


def place_of(session: Session) -> policy.Place:
    """Of a session what the send policy asks for."""
    return policy.Place(key=session.key, channel=session.channel or session.last_channel, chat_type=session.chat_type)
