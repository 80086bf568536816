"""Sub-agents by hand: who spawns, who answers, and what stands in the requester's session afterwards."""

from typing import Any

import pytest
from django.db import transaction

from core.actor import system
from core.errors import DomainError
from core.tools import tools
from sessions_app.models import Announcement, Run, Session, SessionSettings, Spawn
from sessions_app.spawning import actions, sweeping
from sessions_app.spawning.values import Wanted
from tests import make, play
from tests.asgi import run as run_async


def settings(who: make.Person, **changes: object) -> None:
    SessionSettings.objects.filter(pk=who.account.pk).update(**changes)


def spawn(who: make.Person, requester: Session | None = None, task: str = "count the files", **wanted: Any) -> Spawn:
    """A sub-agent of a session of `who`, its own agent run by the hub."""
    held = requester or make.session(who)
    return actions.spawn(make.in_session(who, held), held, Wanted(task=task, **wanted))


def nested(who: make.Person, **wanted: Any) -> tuple[Spawn, Spawn]:
    """A sub-agent of the main session, and one of its own."""
    settings(who, subagent_depth=2)
    middle = spawn(who, **wanted)
    return middle, spawn(who, middle.child)


def call(who: make.Person, own: Session, tool: str, **arguments: Any) -> Any:
    """A tool as the agent of a session calls it, held to the rights of the agent's door."""
    return call_as(make.in_session(who, own), tool, **arguments)


def call_as(actor: Any, tool: str, **arguments: Any) -> Any:
    known = tools.get(tool)
    assert known is not None
    return run_async(known.handler(actor, known.arguments.model_validate(arguments)))  # type: ignore[arg-type]


def end(spawned: Spawn, reply: str = "42 files", **more: Any) -> Spawn:
    """Its run is taken and answered."""
    play.answer(Run.objects.get(pk=spawned.run_id), reply, **more)
    return fresh(spawned)


def fresh(spawned: Spawn) -> Spawn:
    return Spawn.objects.select_related("child", "requester", "run").get(pk=spawned.pk)


def told(requester: Session) -> list[str]:
    """What the requester was told, in order."""
    return list(Run.objects.filter(session=requester, purpose=Run.RESULT).order_by("pk").values_list("message", flat=True))


def announced(who: make.Person) -> list[str]:
    return list(Announcement.objects.filter(account=who.account).order_by("pk").values_list("text", flat=True))


def sweep() -> int:
    return sweeping.sweep(system())


def on_a_route(who: make.Person, key: str = "main") -> Session:
    """A session that people are answered by, in a messenger."""
    return make.session(who, key, last_channel="telegram", last_to="-100123")


def sessions() -> set[str]:
    return set(Session.objects.values_list("key", flat=True))


def refused(who: make.Person, refusal: type[DomainError], requester: Session | None = None, **wanted: Any) -> str:
    """What a refusal says; nothing was made of it."""
    held = requester or make.session(who)
    before = (sessions(), Run.objects.count(), Spawn.objects.count())
    with pytest.raises(refusal) as caught, transaction.atomic():
        spawn(who, held, **wanted)
    assert (sessions(), Run.objects.count(), Spawn.objects.count()) == before
    return caught.value.detail
