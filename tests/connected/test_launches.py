"""A launch is a session from its beginning to its end, and what it holds when it dies is not lost."""

from dataclasses import replace

import pytest

from accounts import actions as accounts
from accounts.launches import actions as launches
from accounts.models import Launch
from core.actor import Actor, Door
from core.errors import Gone, Unauthenticated
from sessions_app.models import Entry, Run, Session
from tests import make, play
from tests.clock import Clock
from tests.connected.calling import begin, call, launched, next_of, own, state_of
from tests.launches import launcher

pytestmark = pytest.mark.django_db


def end(agent: Actor) -> None:
    launches.end(replace(agent, door=Door.WEBSOCKET))


def test_a_launch_that_registers_can_be_sent_to_at_once(alice: make.Person) -> None:
    held = register(alice)
    session = Session.objects.get(launch=held)
    assert (session.key, session.display_name, session.archived_at) == (f"node-{held.key}", held.profile, None)
    assert own(make.launched(alice, held)).pk == session.pk


def register(who: make.Person) -> Launch:
    from accounts.launches.values import LaunchIn

    told = LaunchIn(**launcher.told())
    return launches.register(make.agent(who), told=told)[0]


def test_its_session_leaves_the_list_when_it_ends_and_its_transcript_stays(alice: make.Person) -> None:
    agent = launched(alice)
    session = own(agent)
    play.answer(begin(session))
    end(agent)
    assert not Session.objects.live().filter(pk=session.pk).exists()
    assert Entry.objects.filter(session=session).count() == 2


def test_what_waits_for_a_launch_that_ended_fails_with_its_reason(alice: make.Person) -> None:
    agent = launched(alice)
    taken, queued = begin(own(agent)), begin(own(agent))
    next_of(agent)
    end(agent)
    assert state_of(taken) == state_of(queued) == (Run.ERROR, "", "Its agent has ended.")


def test_a_run_it_took_of_another_session_is_given_back_at_once_and_another_agent_takes_it(alice: make.Person) -> None:
    agent, other = launched(alice), make.agent(alice)
    run = begin(make.session(alice, "main"))
    next_of(agent, sessionKey="main")
    end(agent)
    assert state_of(run)[0] == Run.QUEUED
    assert next_of(other, sessionKey="main")["run"]["runId"] == run.run_id
    call("session_reply", other, runId=run.run_id, reply="done")
    assert Entry.objects.filter(role="user").count() == 1


def test_a_second_agent_that_dies_with_it_ends_it(alice: make.Person) -> None:
    run = begin(make.session(alice, "main"))
    for handle in ("one", "two"):
        agent = launched(alice, handle)
        next_of(agent, sessionKey="main")
        end(agent)
    assert state_of(run)[0] == Run.ERROR and "gone twice" in run.error


def test_an_agent_whose_connection_is_revoked_gives_back_what_it_holds(alice: make.Person) -> None:
    agent = make.agent(alice)
    mine, run = own(agent), begin(make.session(alice, "main"))
    next_of(agent, sessionKey="main")
    accounts.revoke_connection(alice.actor, connection_id=agent.connection_id)
    assert state_of(run)[0] == Run.QUEUED
    mine.refresh_from_db()
    assert mine.archived_at is not None
    with pytest.raises(Unauthenticated):
        next_of(agent, sessionKey="main")


def test_a_launch_that_ended_takes_nothing_any_more(alice: make.Person) -> None:
    agent = launched(alice)
    begin(make.session(alice, "main"))
    end(agent)
    with pytest.raises(Gone):
        next_of(agent, sessionKey="main")


def test_what_others_hold_is_left_alone_when_a_launch_ends(alice: make.Person, charlie: make.Person) -> None:
    agent, theirs = launched(alice), make.agent(charlie)
    run = begin(own(theirs))
    next_of(theirs)
    end(agent)
    assert state_of(run)[0] == Run.RUNNING


def test_a_launcher_that_comes_back_is_a_session_again(alice: make.Person, clock: Clock) -> None:
    from accounts.launches.values import LaunchIn
    from core.actor import system

    told = LaunchIn(**launcher.told())
    who = make.agent(alice)
    held, _ = launches.register(who, told=told)
    clock.forward(minutes=6)
    assert launches.sweep(system()) == 1
    assert not Session.objects.live().filter(launch=held).exists()
    launches.register(who, told=told)
    assert Session.objects.live().filter(launch=held).count() == 1
