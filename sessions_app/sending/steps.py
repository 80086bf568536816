"""What follows of a message from session to session: how its run ended goes in, the next step comes out. Pure."""

from dataclasses import dataclass
from typing import Literal

from sessions_app.values import NO_REPLY, SKIP_ANNOUNCE, SKIP_REPLY, State

Step = Literal["sent", "replying", "announcing", "done"]
SENT, REPLYING, ANNOUNCING, DONE = "sent", "replying", "announcing", "done"
NEVER_SHOWN = frozenset({"", NO_REPLY, SKIP_REPLY, SKIP_ANNOUNCE})
"""What of an announce step is silence: words for the hub, which no person should read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """How far an exchange is. `turn`: reply steps asked so far, of `turns`. `has_requester`: another session asked, which still
    lives. `waits`: its call is still open, `inline`: its call was answered with the first reply. `silent`: no loop, no
    announcement."""

    step: str
    turn: int = 0
    turns: int = 0
    has_requester: bool = True
    waits: bool = False
    inline: bool = False
    silent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The step that follows. `turn`: that of a reply step, odd ones are the requester's. `tells`: the requester is told, by a
    run of its own, what became of its message. `says`: the reply is for the target's route. `keeps`: it is the latest reply.
    `is_parked`: nothing yet, for the requester's open call comes to fetch what there is."""

    step: Step
    turn: int = 0
    tells: bool = False
    says: bool = False
    keeps: bool = False
    is_parked: bool = False


def next_move(facts: Facts, state: State | str, reply: str) -> Move:
    """What follows when the run of the present step ended in `state` with `reply`."""
    if facts.step == SENT:
        return _after_the_first(facts, state == "ok", reply.strip())
    if facts.step == REPLYING:
        return _after_a_reply(facts, state, reply.strip())
    says = facts.step == ANNOUNCING and state == "ok" and reply.strip() not in NEVER_SHOWN
    return Move(step="done", turn=facts.turn, says=says)


def _after_the_first(facts: Facts, went_well: bool, reply: str) -> Move:
    if facts.waits:
        return Move(step="sent", is_parked=True)
    untold = facts.has_requester and not facts.inline
    if not went_well:
        return Move(step="done", tells=untold)
    if reply in {"", NO_REPLY}:
        return Move(step="done")
    if reply == SKIP_REPLY:
        return Move(step="done" if facts.silent else "announcing")
    if facts.silent:
        return Move(step="done", tells=untold, keeps=True)
    if not facts.has_requester or facts.turns < 1:
        return Move(step="announcing", tells=untold, keeps=True)
    return Move(step="replying", turn=1, keeps=True)


def _after_a_reply(facts: Facts, state: str, reply: str) -> Move:
    if state == "stopped" or reply == NO_REPLY:
        return Move(step="done", turn=facts.turn)
    if state != "ok" or reply in {"", SKIP_REPLY}:
        return Move(step="announcing", turn=facts.turn)
    if facts.turn >= facts.turns or not facts.has_requester:
        return Move(step="announcing", turn=facts.turn, keeps=True)
    return Move(step="replying", turn=facts.turn + 1, keeps=True)


def is_requesters(turn: int) -> bool:
    """Whose reply step this is: the requester begins, and they take turns."""
    return turn % 2 == 1
