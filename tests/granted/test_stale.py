"""A grant ends by itself with what it was given for."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.actions import revoke_connection
from accounts.launches.actions import beat, end, sweep
from accounts.models import Launch
from audit.models import Entry
from chat.grants.actions import grant
from chat.grants.reading import grants, launch_line, launch_lines
from chat.models import Grant
from chat.reading import read_page
from core.actor import Actor, system
from core.errors import DomainError, Forbidden
from tests import make
from tests.clock import Clock

pytestmark = pytest.mark.django_db
Ending = Callable[[make.Person, Launch, Actor, Clock], Any]


def sees(state: str) -> Ending:
    return lambda who, launch, agent, clock: beat(agent, pane_state=state)


def its_launcher_is_gone(who: make.Person, launch: Launch, agent: Actor, clock: Clock) -> None:
    clock.forward(minutes=6)
    sweep(system())


PROCESS: dict[str, tuple[Ending, str]] = {
    "the process ends": (lambda who, launch, agent, clock: end(agent, exit_status=0), "the process ended"),
    "its launcher is gone": (its_launcher_is_gone, "its launcher is gone"),
    "its connection is revoked": (
        lambda who, launch, agent, clock: revoke_connection(who.actor, connection_id=launch.connection_id),
        "its connection was revoked",
    ),
}
PANE: dict[str, tuple[Ending, str]] = {
    f"its pane is {state}": (sees(state), f"its pane is {state}") for state in ("replaced", "exited", "unlisted", "unclaimed")
}


@pytest.mark.parametrize("how", [*PROCESS, *PANE])
def test_t_09_a_grant_is_stale_once_its_process_or_pane_is_gone(alice: make.Person, clock: Clock, how: str) -> None:
    ending, reason = (PROCESS | PANE)[how]
    launch = make.launch(alice)
    grant(alice.actor, launch_key=launch.key, typed="lead")
    agent = make.launched(alice, launch)
    make.message(alice, by=agent)
    ending(alice, launch, agent, clock)
    for deed in (lambda: read_page(agent, after=0), lambda: make.message(alice, by=agent)):
        with pytest.raises(DomainError):
            deed()
    line = launch_line(alice.actor, launch.key)
    assert (line.state, line.handle) == ("stale", "")
    assert [(each.end, each.end_reason) for each in grants(alice.actor)] == [("stale", reason)]
    entry = Entry.objects.get(deed="chat.stale")
    assert (entry.target, entry.target_label, entry.details) == (launch.key, "lead", {"reason": reason})
    assert entry.who == "the hub" and entry.account_id == alice.account.pk


@pytest.mark.parametrize("how", PROCESS)
def test_t_09_the_list_of_those_that_run_drops_a_launch_that_is_over(alice: make.Person, clock: Clock, how: str) -> None:
    launch, other = make.launch(alice), make.launch(alice)
    PROCESS[how][0](alice, launch, make.launched(alice, launch), clock)
    running = [line.launch.pk for line in launch_lines(alice.actor)]
    assert launch.pk not in running and (other.pk in running or how == "its launcher is gone")


def test_the_handle_is_free_again_and_the_pane_claimed_again_is_granted_anew(alice: make.Person) -> None:
    launch = make.launch(alice)
    agent = make.launched(alice, launch)
    grant(alice.actor, launch_key=launch.key, typed="lead")
    beat(agent, pane_state="replaced")
    beat(agent, pane_state="claimed")
    with pytest.raises(Forbidden):
        read_page(agent, after=0)
    grant(alice.actor, launch_key=launch.key, typed="lead")
    read_page(agent, after=0)


@pytest.mark.parametrize("how", [*PROCESS, *PANE])
def test_what_was_never_granted_or_is_revoked_does_not_get_stale(alice: make.Person, clock: Clock, how: str) -> None:
    from chat.grants.actions import revoke

    ending, _ = (PROCESS | PANE)[how]
    never, revoked = make.launch(alice), make.launch(alice)
    grant(alice.actor, launch_key=revoked.key, typed="lead")
    revoke(alice.actor, launch_key=revoked.key)
    for launch in (never, revoked):
        ending(alice, launch, make.launched(alice, launch), clock)
    assert Grant.objects.get().end == "revoked" and not Entry.objects.filter(deed="chat.stale").exists()
