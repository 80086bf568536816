"""Reads that sending decides by: within which run a session asks, and who waits for whom."""

from core import clock
from core.actor import Actor
from sessions_app.connected.reading import holder
from sessions_app.models import Agent, Exchange, Run, Session

MOST_HOPS = 32
ANSWERING = (Run.SEND, Run.REPLY, Run.ANNOUNCE)


def executing(actor: Actor, requester: Session | None) -> Run | None:
    """The run within which a session asks: the one that it executes now, or that its connected agent took for another."""
    if requester is None:
        return None
    taken = Run.objects.filter(account_id=requester.account_id, state__in=Run.TAKEN).select_related("chain", "exchange")
    own: Run | None = taken.filter(session_id=requester.pk).first()
    if own is not None or not actor.is_agent:
        return own
    took: Run | None = taken.filter(worker=holder(actor, requester.pk)).order_by("-started_at").first()
    return took


def goes_back(run: Run | None, target: Session) -> bool:
    """Whether a message to `target`, sent within `run`, goes to the session whose message that run answers."""
    if run is None or run.exchange is None or run.purpose not in ANSWERING:
        return False
    others = {run.exchange.requester_id, run.exchange.target_id} - {run.session_id}
    return target.pk in others


def waits_along(account_id: int, *, begins: int, sought: int) -> list[str] | None:
    """The keys from the session `begins` to the session `sought`, each of which waits for the next one in an open call; None
    where there is no such way within `MOST_HOPS`."""
    came_from: dict[int, int | None] = {begins: None}
    frontier = [begins]
    for _ in range(MOST_HOPS):
        if not frontier:
            return None
        frontier = _next_ones(account_id, frontier, came_from)
        if sought in frontier:
            return _keys(came_from, sought)
    return None


def _next_ones(account_id: int, frontier: list[int], came_from: dict[int, int | None]) -> list[int]:
    found = []
    for waiter, target in (*_waits(account_id, frontier), *_executed(account_id, frontier)):
        if target not in came_from:
            came_from[target] = waiter
            found.append(target)
    return found


def _waits(account_id: int, sessions: list[int]) -> list[tuple[int, int]]:
    """From the sessions whose open calls wait to those that they wait for."""
    waits = Exchange.objects.filter(
        account_id=account_id,
        requester_id__in=sessions,
        waits_until__gt=clock.now(),
        step=Exchange.SENT,
        runs__purpose=Run.SEND,
        runs__state__in=Run.ACTIVE,
    )
    return list(waits.values_list("requester_id", "target_id"))


def _executed(account_id: int, sessions: list[int]) -> list[tuple[int, int]]:
    """From the sessions whose run a connected agent took to that agent's own: nothing comes of them while it waits."""
    runs = Run.objects.filter(
        account_id=account_id, session_id__in=sessions, state__in=Run.TAKEN, runner=Agent.CONNECTED
    ).values_list("session_id", "worker")
    own = [(session, worker.rpartition("/")[2]) for session, worker in runs]
    return [(session, int(pk)) for session, pk in own if pk.isascii() and pk.isdigit() and int(pk) != session]


def _keys(came_from: dict[int, int | None], last: int) -> list[str]:
    way: list[int] = []
    step: int | None = last
    while step is not None:
        way.append(step)
        step = came_from[step]
    keys = dict(Session.objects.filter(pk__in=way).values_list("pk", "key"))
    return [keys[each] for each in reversed(way)]


def in_a_circle(exchange_pk: int) -> list[str] | None:
    """The keys of those who wait in a circle with this exchange's requester, itself first; None: it waits for nobody who
    waits for it. For two calls that began in the same moment and did not see each other."""
    row = Exchange.objects.filter(pk=exchange_pk).values_list("account_id", "requester_id", "target_id").first()
    if row is None or row[1] is None:
        return None
    return waits_along(row[0], begins=row[2], sought=row[1])


def is_over(run_pk: int) -> bool:
    """Whether a run has ended."""
    return not Run.objects.filter(pk=run_pk, state__in=Run.ACTIVE).exists()
