"""Announcements: put on their way once, and only where there is one."""

import pytest

from core.actor import system
from sessions_app.announcing.actions import announce
from sessions_app.announcing.delivering import send, sweep
from sessions_app.models import Announcement, Session, SessionSettings
from tests import door, make, play
from tests.announcing.messenger import Messenger
from tests.announcing.sending import phone_route, put
from tests.connected.calling import begin, call, next_of, own

pytestmark = pytest.mark.django_db


def test_o_54_the_text_goes_to_channel_target(alice: make.Person, phone: Messenger) -> None:
    phone_route(alice, phone, "discord")
    made = put(make.session(alice, "agent:main:discord:group:target"), "the build is green")
    assert made is not None and (made.channel, made.to) == ("discord", "channel:target")
    assert send(system(), made.pk)
    assert phone.texts == ["the build is green"] and phone.told[0][0].startswith("/target")


def test_o_63_a_topic_of_telegram_is_passed_on(alice: make.Person, phone: Messenger) -> None:
    phone_route(alice, phone, "telegram")
    made = put(make.session(alice, "agent:main:telegram:group:-100123:topic:554"))
    assert made is not None and (made.to, made.thread_id) == ("-100123", "554")
    send(system(), made.pk)
    assert [path for path, _ in phone.told] == ["/-100123/554"]


@pytest.mark.parametrize("key", ["main", "agent:main:cron:x", "node-somebody"])
def test_o_65_a_session_without_a_route_announces_nothing(alice: make.Person, key: str) -> None:
    assert put(make.session(alice, key)) is None and not Announcement.objects.exists()


def test_what_a_session_was_answered_by_last_comes_before_its_key(alice: make.Person) -> None:
    session = make.session(
        alice, "agent:main:telegram:group:1", last_channel="Slack", last_to="channel:C9", last_account_id="w", last_thread_id="4"
    )
    made = put(session)
    assert made is not None
    assert (made.channel, made.to, made.to_account, made.thread_id) == ("slack", "channel:C9", "w", "4")


def test_internal_is_nowhere(alice: make.Person) -> None:
    assert put(make.session(alice, "main", last_channel="internal")) is None


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_is_not_announced(alice: make.Person, text: str) -> None:
    assert put(make.session(alice, "main", last_channel="webchat"), text) is None


def test_a_cause_is_announced_once(alice: make.Person, charlie: make.Person) -> None:
    session = make.session(alice, "main", last_channel="webchat")
    first, second = put(session, "one"), put(session, "two")
    assert first == second and Announcement.objects.get().text == "one"
    assert put(make.session(charlie, "main", last_channel="webchat"), "his") is not None


def test_a_denying_send_policy_keeps_it_back(alice: make.Person) -> None:
    session = make.session(alice, "main", last_channel="webchat", send_policy="deny")
    assert put(session) is None
    Session.objects.update(send_policy="")
    SessionSettings.objects.filter(account=alice.account).update(send_policy={"default": "deny"})
    session.refresh_from_db()
    assert put(session) is None


def test_an_agents_reply_may_put_one_on_its_way(alice: make.Person) -> None:
    """What follows of a run is stored within the agent's door."""
    session = make.session(alice, "agent:main:discord:group:target")
    made = door.through_the_door(lambda: announce(session, "hi", cause="c", run=None))
    assert made is not None and door.through_the_door(lambda: announce(session, "hi", cause="c", run=None)) == made


@pytest.mark.parametrize("reply", ["ANNOUNCE_SKIP", "NO_REPLY"])
def test_o_56_o_58_the_words_of_silence_send_nothing(alice: make.Person, phone: Messenger, reply: str) -> None:
    exchange_to_the_announce_step(alice)
    play.answer(play.queued(alice, "announce")[0], reply)
    assert not Announcement.objects.exists() and sweep(system()) == 0 and phone.told == []


def test_o_57_silence_is_the_runs_own_reply_whatever_its_transcript_holds(alice: make.Person, phone: Messenger) -> None:
    from sessions_app.models import Entry

    exchange_to_the_announce_step(alice)
    run = play.take(play.queued(alice, "announce")[0])
    Entry.objects.filter(session=run.session).delete()
    play.answer(run, "ANNOUNCE_SKIP")
    assert not Announcement.objects.exists() and phone.told == []


def exchange_to_the_announce_step(who: make.Person) -> None:
    """A message whose first reply was given, without turns: what waits now is the announce step in the target."""
    from sessions_app.sending.actions import send as send_message

    SessionSettings.objects.filter(account=who.account).update(turns=0)
    make.hub_agent(who)
    target = make.session(who, "agent:main:discord:group:target")
    agent = make.agent(who)
    send_message(agent, requester=own(agent), target=target, message="hello", waits=False)
    play.answer(play.queued(who, "send")[0], "first")


def test_a_connected_session_may_announce_through_its_reply(alice: make.Person) -> None:
    agent = make.agent(alice)
    session = own(agent)
    Session.objects.filter(pk=session.pk).update(last_channel="webchat")
    run = begin(session)
    next_of(agent)
    call("session_reply", agent, runId=run.run_id, reply="done")
    assert not Announcement.objects.exists()
