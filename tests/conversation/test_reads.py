"""`chat.conversation`: what pages and REST read of the chat."""

from typing import Any

import pytest

from chat import conversation
from chat.actions import update_settings
from chat.conversation import HourCount
from chat.values import MOST_SEQ
from core.actor import operator, system
from core.errors import DomainError, Forbidden, Invalid, NotFound
from tests import make
from tests.clock import Clock


def numbers(stretch: conversation.Stretch) -> list[int]:
    return [entry.seq for entry in stretch.messages]


def filled(who: make.Person, count: int, **more: Any) -> None:
    by = make.agent(who)
    for number in range(count):
        make.message(who, f"body {number}", by=by, **more)


READS: dict[str, Any] = {
    "topics": conversation.topics,
    "older": conversation.older,
    "newer": lambda actor: conversation.newer(actor, after=0),
    "around": lambda actor: conversation.around(actor, 1),
    "one": lambda actor: conversation.one(actor, 1),
    "latest_seq": conversation.latest_seq,
    "per_hour": conversation.per_hour,
}


def test_topics_come_by_their_newest_message_with_their_counts(alice: make.Person, clock: Clock) -> None:
    make.message(alice, topic="docs/review")
    clock.forward(minutes=1)
    make.message(alice)
    make.message(alice, topic="docs/review")
    lines = conversation.topics(alice.actor)
    assert [(line.topic, line.messages, line.last_seq) for line in lines] == [("docs/review", 2, 3), ("general", 1, 2)]
    assert lines[0].last_time == clock()
    assert [line.topic for line in conversation.topics(alice.actor, limit=1)] == ["docs/review"]


def test_older_walks_backwards_without_a_gap_or_a_repeat(alice: make.Person) -> None:
    filled(alice, 7)
    first = conversation.older(alice.actor, limit=3)
    second = conversation.older(alice.actor, before=5, limit=3)
    third = conversation.older(alice.actor, before=2, limit=3)
    assert [numbers(each) for each in (first, second, third)] == [[5, 6, 7], [2, 3, 4], [1]]
    assert [each.has_more for each in (first, second, third)] == [True, True, False]


def test_newer_walks_forwards(alice: make.Person) -> None:
    filled(alice, 5)
    first, second = (conversation.newer(alice.actor, after=after, limit=3) for after in (0, 3))
    assert (numbers(first), first.has_more, numbers(second), second.has_more) == ([1, 2, 3], True, [4, 5], False)


def test_older_keeps_every_filter_given(alice: make.Person) -> None:
    agent = make.agent(alice)
    root = make.message(alice, session_name="asks", by=agent, topic="a")
    make.message(alice, session_name="answers", by=agent, reply_to=root)
    make.message(alice, session_name="asks", topic="b")
    older = conversation.older
    assert numbers(older(alice.actor, topic="a")) == [1, 2]
    assert numbers(older(alice.actor, thread=root)) == [1, 2]
    assert numbers(older(alice.actor, session_name="asks")) == [1, 3]
    assert numbers(older(alice.actor, connection_id=agent.connection_id)) == [1, 2]
    assert numbers(older(alice.actor, connection_id=agent.connection_id, session_name="asks", topic="a")) == [1]
    assert numbers(older(alice.actor, topic="b", before=3)) == []


def test_newer_and_around_keep_to_a_topic(alice: make.Person) -> None:
    for topic in ("a", "b", "a", "b", "a"):
        make.message(alice, topic=topic)
    assert numbers(conversation.newer(alice.actor, after=1, topic="a")) == [3, 5]
    assert numbers(conversation.around(alice.actor, 3, topic="a")) == [1, 3, 5]
    with pytest.raises(NotFound, match="#3"):
        conversation.around(alice.actor, 3, topic="b")


def test_around_shows_a_message_between_its_neighbours(alice: make.Person) -> None:
    filled(alice, 9)
    middle = conversation.around(alice.actor, 5, limit=4)
    assert (numbers(middle), middle.has_more, middle.has_newer) == ([3, 4, 5, 6], True, True)
    first = conversation.around(alice.actor, 1, limit=20)
    assert (numbers(first), first.has_more, first.has_newer) == (list(range(1, 10)), False, False)
    assert numbers(conversation.around(alice.actor, 9, limit=1)) == [9]


def test_a_message_alone_is_what_a_reader_gets(alice: make.Person) -> None:
    root = make.message(alice, "first")
    agent = make.agent(alice)
    make.message(alice, "second", session_name="peer ☕", by=agent, reply_to=root)
    entry = conversation.one(alice.actor, 2)
    assert (entry.body, entry.session_name, entry.connection_id) == ("second", "peer ☕", agent.connection_id)
    assert (entry.reply_to, entry.reply_to_gone, entry.thread, entry.topic) == (1, False, 1, "general")
    assert conversation.older(alice.actor).messages[1] == entry


def test_w_29_a_reply_tells_that_its_parent_is_gone(alice: make.Person, clock: Clock) -> None:
    from chat import pruning

    root = make.message(alice)
    clock.forward(days=13)
    make.message(alice, reply_to=root)
    clock.forward(days=2)
    pruning.prune(actor=system(), dry_run=False, progress=lambda rows: None)
    assert conversation.one(alice.actor, 2).reply_to_gone
    with pytest.raises(NotFound, match="#1"):
        conversation.one(alice.actor, 1)
    assert conversation.latest_seq(alice.actor) == 2


@pytest.mark.parametrize("seq", [0, -1, 3, MOST_SEQ, MOST_SEQ + 1, 10**30])
def test_a_foreign_number_and_an_unknown_one_get_the_same_answer(seq: int, alice: make.Person, charlie: make.Person) -> None:
    filled(alice, 1)
    filled(charlie, 3)
    for read in (conversation.one, conversation.around):
        with pytest.raises(NotFound, match=f"#{seq}; it was cleaned up, or never was"):
            read(alice.actor, seq)


def test_charlie_reads_nothing_of_alices(alice: make.Person, charlie: make.Person) -> None:
    filled(alice, 3, topic="hers")
    for who in (charlie.actor, make.agent(charlie)):
        assert conversation.topics(who) == [] and conversation.older(who).messages == () and conversation.latest_seq(who) == 0
        assert conversation.newer(who, after=0).messages == () and sum(each.messages for each in conversation.per_hour(who)) == 0
        assert conversation.older(who, topic="hers").messages == ()


def test_staff_read_their_own_account_alone(alice: make.Person, staff: make.Person) -> None:
    filled(alice, 2)
    assert conversation.topics(staff.actor) == [] and conversation.older(staff.actor).messages == ()
    assert numbers(conversation.older(operator(alice.account.pk))) == [1, 2]


@pytest.mark.parametrize("name", READS)
def test_without_an_account_nothing_is_read(name: str, db: None) -> None:
    with pytest.raises(Forbidden, match="no account"):
        READS[name](operator())


@pytest.mark.parametrize("name", READS)
def test_w_33_the_switch_refuses_an_agent_and_not_its_owner(name: str, alice: make.Person) -> None:
    agent = make.agent(alice)
    make.message(alice)
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    with pytest.raises(Forbidden) as refusal:
        READS[name](agent)
    assert refusal.value.code == "account_chat_disabled"
    READS[name](alice.actor)


@pytest.mark.parametrize("name", READS)
def test_an_agent_needs_the_scope_that_reads(name: str, alice: make.Person) -> None:
    make.message(alice)
    with pytest.raises(Forbidden) as refusal:
        READS[name](make.agent(alice, scopes="chat.post"))
    assert refusal.value.code == "insufficient_scope"
    READS[name](make.agent(alice, scopes="chat.read"))


def test_messages_an_hour_are_counted_by_the_hubs_clock_and_zeros_filled_in(alice: make.Person, clock: Clock) -> None:
    assert [each.messages for each in conversation.per_hour(alice.actor)] == [0] * 24
    began = clock()
    filled(alice, 2)
    clock.forward(minutes=59)
    make.message(alice)
    clock.forward(minutes=61)
    make.message(alice)
    counts = conversation.per_hour(alice.actor, hours=4)
    assert counts[-1] == HourCount(hour=clock(), messages=1)
    assert [(each.hour - began).total_seconds() / 3600 for each in counts] == [-1, 0, 1, 2]
    assert [each.messages for each in counts] == [0, 3, 0, 1]
    clock.forward(days=2)
    assert sum(each.messages for each in conversation.per_hour(alice.actor)) == 0


@pytest.mark.parametrize(
    "read",
    [
        lambda actor: conversation.older(actor, limit=0),
        lambda actor: conversation.older(actor, limit=201),
        lambda actor: conversation.older(actor, before=-1),
        lambda actor: conversation.older(actor, before=10**30),
        lambda actor: conversation.older(actor, thread=10**30),
        lambda actor: conversation.older(actor, topic="Docs"),
        lambda actor: conversation.older(actor, topic="a\x00"),
        lambda actor: conversation.older(actor, session_name="a\x00"),
        lambda actor: conversation.older(actor, session_name=""),
        lambda actor: conversation.older(actor, connection_id="c-\x00"),
        lambda actor: conversation.older(actor, connection_id="\ud800"),
        lambda actor: conversation.newer(actor, after=-1),
        lambda actor: conversation.newer(actor, after=0, limit=0),
        lambda actor: conversation.newer(actor, after=0, topic=""),
        lambda actor: conversation.around(actor, 1, limit=0),
        lambda actor: conversation.around(actor, 1, topic="Docs"),
        lambda actor: conversation.topics(actor, limit=0),
        lambda actor: conversation.per_hour(actor, hours=0),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(read: Any, alice: make.Person) -> None:
    make.message(alice)
    with pytest.raises(DomainError) as refusal:
        read(alice.actor)
    assert isinstance(refusal.value, Invalid) and refusal.value.detail.endswith(".")
