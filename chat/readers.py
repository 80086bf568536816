"""Who reads: the owner, a granted handle, or a session by the name it gives itself."""

from chat import store
from chat.permissions import check_standing, may_speak_as_owner
from chat.topics import RESERVED_NAME, check_session_name
from chat.values import OWNER_TARGET, Reader, Standing, handle_target, session_target
from core.actor import Actor
from core.errors import Invalid


def reader_of(actor: Actor, standing: Standing, session_name: str | None) -> Reader | None:
    """Whose cursors and mentions count; None where nobody says. A granted launch is its handle, whatever it calls itself."""
    if standing.handle:
        return Reader(target=handle_target(standing.handle), name=standing.handle, author=actor.author)
    if may_speak_as_owner(actor):
        return Reader(target=OWNER_TARGET, name=RESERVED_NAME, author=actor.author)
    if session_name is None:
        return None
    return Reader(target=session_target(check_session_name(session_name)), name=session_name, author=actor.author)


def needed_reader(actor: Actor, standing: Standing, session_name: str | None) -> Reader:
    """As `reader_of`; raises Invalid where nobody says who reads."""
    reader = reader_of(actor, standing, session_name)
    if reader is None:
        raise name_is_needed()
    return reader


def reader_in(actor: Actor, account_id: int, session_name: str | None) -> Reader:
    """The reader, once it is sure that the actor may read now; a person may always. Raises as `needed_reader` and
    `check_standing`."""
    standing = store.standing(account_id, actor.connection_id, actor.launch_id)
    if standing.is_agent:
        check_standing(standing)
    return needed_reader(actor, standing, session_name)


def name_is_needed() -> Invalid:
    """The refusal where nobody says who it is."""
    return Invalid("session_name is needed: the name of your session, the same in every call.", code="invalid_session_name")
