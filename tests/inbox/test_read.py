"""What chat_read answers: unread, a topic, a thread; and what marking read does."""

import pytest

from chat.cursors.actions import mark_read
from chat.models import ChatSettings, Cursor, Mention, Message, Topic
from chat.reading_chosen import Wanted, read
from chat.values import Exclusions
from core.errors import Forbidden, Invalid, NotFound
from tests import make
from tests.clock import Clock
from tests.inbox.reading import cursors, numbers, read_and_mark, seen, several

pytestmark = pytest.mark.django_db


def test_t_14_a_topic_without_a_cursor_answers_what_is_unread_there_oldest_first_and_whole(alice: make.Person) -> None:
    lead = make.granted(alice)
    make.message(alice, "elsewhere", topic="other")
    make.message(alice, "read", topic="docs")
    mark_read(lead, {"docs": 2})
    bodies = [f"{number} " + "long " * 400 for number in range(3)]
    for body in bodies:
        make.message(alice, body, topic="docs")
    page = read(lead, Wanted(topic="docs"))
    assert [each.body for each in page.messages] == bodies and numbers(page) == [3, 4, 5]


def test_t_15_after_0_reads_from_the_start_also_what_is_read(alice: make.Person) -> None:
    lead = make.granted(alice)
    several(alice, 25, topic="docs")
    mark_read(lead, {"docs": 25})
    assert seen(lead, topic="docs", after=0) == list(range(1, 21))
    assert seen(lead, after=0) == list(range(1, 21))
    assert seen(lead) == []


def test_t_17_without_mark_read_the_same_call_answers_the_same(alice: make.Person) -> None:
    lead = make.granted(alice)
    several(alice, 3)
    assert seen(lead) == seen(lead) == [1, 2, 3]
    assert not Cursor.objects.exists()


def test_t_18_mark_read_moves_the_cursor_to_the_last_one_answered(alice: make.Person) -> None:
    lead = make.granted(alice)
    several(alice, 30)
    assert read_and_mark(lead, limit=20) == list(range(1, 21))
    assert cursors("handle:lead") == {"general": 20}
    assert read_and_mark(lead, limit=20) == list(range(21, 31))


def test_t_19_a_cursor_never_goes_back(alice: make.Person, clock: Clock) -> None:
    lead = make.granted(alice)
    several(alice, 3)
    mark_read(lead, {"general": 3})
    clock.forward(seconds=5)
    assert read_and_mark(lead, after=0, limit=1) == [1]
    assert Cursor.objects.get().seq == 3 and Cursor.objects.get().moved_at < clock.moment


def test_t_20_marking_nothing_changes_no_cursor(alice: make.Person) -> None:
    lead = make.granted(alice)
    make.message(alice)
    mark_read(lead, {"general": 1})
    before = Cursor.objects.get()
    assert read_and_mark(lead) == []
    assert Cursor.objects.get().moved_at == before.moved_at


def test_t_21_a_thread_is_its_root_and_its_replies_only(alice: make.Person) -> None:
    lead = make.granted(alice)
    root, other = make.message(alice), make.message(alice)
    first = make.message(alice, reply_to=root)
    make.message(alice, reply_to=other)
    second = make.message(alice, reply_to=first)
    assert seen(lead, thread=root) == [root, first, second]
    assert seen(make.agent(alice), thread=root, after=first) == [second]


def test_a_thread_named_by_a_reply_names_its_root_and_an_unknown_one_is_not_there(alice: make.Person) -> None:
    root = make.message(alice)
    reply = make.message(alice, reply_to=root)
    with pytest.raises(Invalid, match=f"thread of #{root}"):
        seen(make.agent(alice), thread=reply)
    with pytest.raises(NotFound):
        seen(make.agent(alice), thread=99)


def test_a_thread_whose_root_was_cleaned_up_shows_what_is_left(alice: make.Person) -> None:
    root = make.message(alice)
    reply = make.message(alice, reply_to=root)
    Message.objects.filter(seq=root).delete()
    assert seen(make.agent(alice), thread=root) == [reply]


def test_t_16_an_ungranted_reader_without_a_cursor_starts_at_0(alice: make.Person) -> None:
    agent = make.agent(alice)
    several(alice, 3)
    read_and_mark(agent, session_name="peer two")
    assert seen(agent, session_name="peer two") == [1, 2, 3]
    assert cursors("session:peer two") == {"general": 3}


def test_ones_own_posts_are_never_unread(alice: make.Person) -> None:
    lead = make.granted(alice)
    make.message(alice, by=lead)
    theirs = make.message(alice, session_name="lead")
    assert seen(lead) == [theirs]


def test_a_handle_goes_on_where_it_stood_in_another_launch(alice: make.Person) -> None:
    """Replays row 43: what was not read outlives who was to read it."""
    first = make.granted(alice)
    several(alice, 2)
    mark_read(first, {"general": 1})
    make.message(alice, by=first)
    make.Grant.objects.update(ended_at=make.clock.now(), end="stale")
    again = make.granted(alice)
    assert seen(again) == [2]


def test_unread_of_many_topics_comes_in_the_order_of_numbers(alice: make.Person) -> None:
    lead = make.granted(alice)
    for topic in ("a", "b", "a", "c", "b", "a"):
        make.message(alice, topic=topic)
    mark_read(lead, {"a": 3})
    page = read(lead, Wanted(limit=3))
    assert (numbers(page), page.last_seq, page.has_more, page.latest_seq) == ([2, 4, 5], 5, True, 6)
    rest = read(lead, Wanted(limit=4))
    assert (numbers(rest), rest.last_seq, rest.has_more) == ([2, 4, 5, 6], 6, False)


def test_mark_read_without_a_topic_moves_each_topic_to_the_last_of_it_answered(alice: make.Person) -> None:
    lead = make.granted(alice)
    for topic in ("a", "b", "a", "b"):
        make.message(alice, topic=topic)
    read_and_mark(lead, limit=3)
    assert cursors("handle:lead") == {"a": 3, "b": 2}


def test_exclusions_leave_out_of_the_unread_too(alice: make.Person) -> None:
    lead = make.granted(alice)
    make.message(alice, topic="noise")
    make.message(alice, session_name="bot")
    wanted = make.message(alice)
    assert seen(lead, exclusions=Exclusions(topics=("noise",), sessions=("bot",))) == [wanted]


def test_t_22_a_topic_that_nobody_opened_is_refused_where_only_the_owner_opens_them(alice: make.Person) -> None:
    ChatSettings.objects.filter(account=alice.account).update(only_owner_opens_topics=True)
    with pytest.raises(Forbidden):
        seen(make.agent(alice), topic="docs")
    Topic.objects.create(account=alice.account, name="docs", created_at=make.clock.now(), archived_at=make.clock.now())
    assert seen(make.agent(alice), topic="docs") == []


@pytest.mark.parametrize(
    "wanted", [{"limit": 0}, {"limit": 51}, {"topic": "A b"}, {"thread": 0}, {"after": -1}, {"topic": "a", "after": 9}]
)
def test_what_cannot_be_read_is_refused(alice: make.Person, wanted: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        seen(make.granted(alice), **wanted)


def test_charlie_reads_nothing_of_alices_by_topic_thread_or_cursor(alice: make.Person, charlie: make.Person) -> None:
    root = make.message(alice, topic="docs")
    for reader in (make.agent(charlie), make.granted(charlie)):
        assert seen(reader, topic="docs") == [] and seen(reader) == []
        with pytest.raises(NotFound):
            seen(reader, thread=root)


def test_marking_read_marks_the_mentions_up_to_there_and_only_ones_own(alice: make.Person) -> None:
    lead = make.granted(alice)
    make.granted(alice, "other")
    for body in ("@lead @other 1", "@lead 2", "@lead 3"):
        make.message(alice, body)
    mark_read(lead, {"general": 2})
    read_now = Mention.objects.exclude(read_at=None).values_list("seq", "target")
    assert list(read_now.order_by("seq")) == [(1, "handle:lead"), (2, "handle:lead")]


MANY = {f"t{number}": 0 for number in range(201)}
WRONG_MARKS = [({"general": 2}, "latest message is #1"), ({"general": -1}, "number"), ({"A": 1}, "topic"), (MANY, "200")]


@pytest.mark.parametrize(("topics", "said"), WRONG_MARKS)
def test_a_wrong_mark_is_refused_and_moves_nothing(alice: make.Person, topics: dict[str, int], said: str) -> None:
    lead = make.granted(alice)
    make.message(alice)
    with pytest.raises(Invalid, match=said):
        mark_read(lead, topics)
    assert not Cursor.objects.exists()


def test_who_does_not_say_who_reads_marks_nothing(alice: make.Person) -> None:
    with pytest.raises(Invalid, match="session_name is needed"):
        mark_read(make.agent(alice), {"general": 0})


def test_the_owner_has_cursors_of_his_own(alice: make.Person) -> None:
    make.message(alice)
    assert mark_read(alice.actor, {"general": 1}) == {"general": 1}
    assert cursors("owner") == {"general": 1}


def test_the_owner_reads_on_and_marks_while_his_switch_is_off(alice: make.Person) -> None:
    make.message(alice)
    ChatSettings.objects.filter(account=alice.account).update(allowed=False)
    assert mark_read(alice.actor, {"general": 1}) == {"general": 1}


def test_the_switch_silences_marking_and_reading(alice: make.Person) -> None:
    lead = make.granted(alice)
    ChatSettings.objects.filter(account=alice.account).update(allowed=False)
    for deed in (lambda: mark_read(lead, {}), lambda: seen(lead), lambda: seen(lead, topic="general")):
        with pytest.raises(Forbidden) as refusal:
            deed()
        assert refusal.value.code == "account_chat_disabled"
