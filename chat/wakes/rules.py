"""Whether a mention wakes its target. Pure."""

from dataclasses import dataclass
from datetime import timedelta

AGENT_RUN = 6
"""A thread that ends in so many messages of agents, the mention's own counted, wakes nobody until a person spoke."""
WAKE_APART = timedelta(seconds=120)
WAKES_PER_HOUR = 10
IDLE_FOR = timedelta(seconds=20)
HEARD_WITHIN = timedelta(seconds=30)
"""A launcher beats every ten seconds; one that missed three is asked nothing."""
ANSWER_WITHIN = timedelta(seconds=10)
"""How long a launcher may take to say what became of a wake."""
ASKED = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a decision rests on. `idle`: since when the harness has been done, None where it works or nobody knows.

    `woken`: how long ago it was woken last, `woken_in_hour`: how often in the last hour; both count what is still asked.
    """

    says_something: bool
    agent_run: int
    pane_is_claimed: bool
    heard: timedelta
    idle: timedelta | None
    woken: timedelta | None = None
    woken_in_hour: int = 0


def decide(facts: Facts) -> tuple[str, str]:
    """The outcome (`pending`: ask the launcher) and why, in a few words."""
    if not facts.says_something:
        return "refused", "the message says nothing beside its mentions"
    if facts.agent_run >= AGENT_RUN:
        return "loop", f"the thread ends in {AGENT_RUN} messages of agents"
    if not facts.pane_is_claimed:
        return "stale", "the pane is no longer the launch's"
    if facts.heard > HEARD_WITHIN:
        return "stale", "the launcher is silent"
    if facts.woken is not None and facts.woken < WAKE_APART:
        return "rate", "woken less than two minutes ago"
    if facts.woken_in_hour >= WAKES_PER_HOUR:
        return "rate", f"woken {WAKES_PER_HOUR} times within the hour"
    if facts.idle is None:
        return "not-idle", "the agent is at work, or its hooks say nothing"
    if facts.idle < IDLE_FOR:
        return "not-idle", "done for less than 20 seconds"
    return ASKED, ""
