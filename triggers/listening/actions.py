"""Everything that listeners do to servers: claim, renew, give back; tell their states, keep their tools."""

import threading
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from core import clock, news
from core.text import one_line
from triggers.inbox.actions import store as keep
from triggers.listening.buffer import Entry
from triggers.listening.echoes import marked
from triggers.listening.leases import FORGOTTEN, LEASE, share
from triggers.logs.actions import note
from triggers.models import Listener, PushServer
from triggers.news import servers_key
from triggers.values import Claim

LONGEST_REASON = 300
NO_COMMANDS = "You may not run commands on this hub's machine; ask whoever runs it to allow you."
UNHELD: dict[str, Any] = {"listener": "", "lease": "", "lease_until": None}
_here = threading.local()


def is_telling() -> bool:
    """Whether the hint that is being sent in this thread is a listener's own."""
    return getattr(_here, "telling", False)


def wanted() -> "QuerySet[PushServer]":
    """The servers that are to be listened to; stdio only where the owner may have the hub run commands."""
    may_run = Q(account__owner__may_run_commands=True)
    found: QuerySet[PushServer] = PushServer.objects.filter(
        ~Q(transport=PushServer.STDIO) | may_run, enabled=True, account__owner__is_active=True
    )
    return found


def refuse_commands() -> None:
    """Tell owners of stdio servers who may not have the hub run commands (any more) why nothing is heard."""
    refused = PushServer.objects.filter(transport=PushServer.STDIO, enabled=True, account__owner__may_run_commands=False)
    fresh = refused.exclude(state=PushServer.FAILED, reason=NO_COMMANDS).values_list("pk", flat=True)
    PushServer.objects.filter(pk__in=list(fresh)).update(state=PushServer.FAILED, reason=NO_COMMANDS, state_at=clock.now())


def beat(name: str) -> tuple[list[PushServer], int]:
    """Say that this listener lives, renew what it holds, take over what nobody holds; what it holds now, and how many of
    these are more than its share."""
    now = clock.now()
    if not PushServer.objects.filter(Q(listener=name) | Q(enabled=True)).exists():
        return [], 0  # a hub without push servers is not written to
    with transaction.atomic():
        Listener.objects.update_or_create(name=name, defaults={"beat_at": now})
        refuse_commands()
        Listener.objects.filter(beat_at__lt=now - FORGOTTEN).delete()
        own = wanted().filter(listener=name)
        PushServer.objects.filter(pk__in=list(own.values_list("pk", flat=True))).update(lease_until=now + LEASE)
        most = share(wanted().count(), Listener.objects.filter(beat_at__gt=now - LEASE).count())
        held = own.count()
        _take_over(name, most - held)
        return list(own.order_by("pk")), max(held - most, 0)


def _take_over(name: str, count: int) -> None:
    now = clock.now()
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    due = list(wanted().filter(free).exclude(listener=name).values_list("pk", flat=True)[: max(count, 0)])
    for pk in due:
        PushServer.objects.filter(free, pk=pk).update(listener=name, lease=str(uuid.uuid4()), lease_until=now + LEASE)


def release(leases: Iterable[str]) -> None:
    """Give servers back, so that another listener need not wait for the leases to end."""
    PushServer.objects.filter(lease__in=[lease for lease in leases if lease]).update(**UNHELD)


def leave(name: str) -> None:
    """This listener ends: whatever it holds is free, and the others' shares grow."""
    PushServer.objects.filter(listener=name).update(**UNHELD)
    Listener.objects.filter(pk=name).delete()


def tell(server: PushServer, state: str, reason: str, **more: Any) -> bool:
    """Write what a server's listener found; False where it holds the server no more. `more`: session, challenge."""
    now = clock.now()
    columns: dict[str, Any] = {"state": state, "reason": one_line(reason, LONGEST_REASON), "state_at": now, **more}
    if state == PushServer.LISTENING:
        columns["connected_at"] = now
    return _write(server, columns, reason, state=state)


def keep_tools(server: PushServer, tools: list[dict[str, Any]]) -> bool:
    """Keep what a server offers; False where its listener holds it no more. Its log tells of that where it is something else."""
    now, is_news = clock.now(), server.tools_at is None or server.tools != tools
    said = "1 tool." if len(tools) == 1 else f"{len(tools)} tools."
    told = _write(server, {"tools": tools, "tools_at": now}, said if is_news else "")
    if told:
        server.tools, server.tools_at = tools, now
    return told


def say(server: PushServer, said: str) -> bool:
    """Add a line to a server's log; False where its listener holds it no more."""
    return _write(server, {"version": server.version}, said)


def _write(server: PushServer, columns: dict[str, Any], said: str, *, state: str = "") -> bool:
    """Into the server's row and, as a line where there is anything to say, its log; False, and nothing, where this lease or this
    version of it is past."""
    _here.telling = True
    try:
        with transaction.atomic():
            told = PushServer.objects.filter(pk=server.pk, lease=server.lease, version=server.version).update(**columns)
            if told and (said or state):
                note(server, said, state=state)
            if told:
                news.publish_on_commit(servers_key(server.account_id))
        return bool(told)
    finally:
        _here.telling = False


def store(server: PushServer, entries: Sequence[Entry], shed: int, last_event_id: str) -> None:
    """Store what a server pushed, where its listener still holds it. Raises Gone, Busy, DatabaseError; nothing is stored then."""
    stream = (server.transport, server.url)
    claim = Claim(server_id=server.pk, lease=server.lease, last_event_id=last_event_id or None, shed=shed, stream=stream)
    keep(server.account_id, marked(server.pk, [entry.arrival for entry in entries]), claim=claim)
