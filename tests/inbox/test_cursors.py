"""Cursors over any course of posts, reads and marks."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat.cursors.actions import mark_read
from chat.cursors.store import unread_numbers
from chat.models import Counter, Cursor, Mention, Message
from chat.values import Exclusions, Reader, handle_target
from core.actor import Actor
from tests import make
from tests.inbox.reading import cursors

pytestmark = pytest.mark.django_db
TOPICS = ("a", "b", "c")
EITHER = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture
def lead(alice: make.Person, settings: object) -> Actor:
    settings.CHAT_POSTS_PER_MINUTE = 0  # type: ignore[attr-defined]
    return make.granted(alice)


def begin_anew() -> None:
    Message.objects.all().delete()
    Mention.objects.all().delete()
    Cursor.objects.all().delete()
    Counter.objects.update(last_seq=0)


posts = st.lists(st.tuples(st.sampled_from(TOPICS), st.booleans()), min_size=1, max_size=12)
marks = st.lists(st.tuples(st.sampled_from(TOPICS), st.integers(0, 12)), max_size=6)


@EITHER
@given(posts=posts, marks=marks)
def test_a_cursor_only_ever_goes_forward_and_what_lies_behind_it_is_not_unread(
    alice: make.Person, lead: Actor, posts: list[tuple[str, bool]], marks: list[tuple[str, int]]
) -> None:
    begin_anew()
    peer = make.agent(alice)
    for topic, own in posts:
        make.message(alice, by=lead if own else peer, topic=topic)
    highest = dict.fromkeys(TOPICS, 0)
    for topic, seq in marks:
        reached = min(seq, len(posts))
        highest[topic] = max(highest[topic], reached)
        assert mark_read(lead, {topic: reached}) == {topic: highest[topic]}
    assert {topic: seq for topic, seq in cursors("handle:lead").items() if seq} == {t: s for t, s in highest.items() if s}
    expected = [n for n, (topic, own) in enumerate(posts, 1) if not own and n > highest[topic]]
    reader = Reader(target=handle_target("lead"), name="lead", author=lead.author)
    for limit in (1, 3, 50):
        found = unread_numbers(alice.account.pk, reader, limit=limit, latest=len(posts), exclusions=Exclusions())
        assert found == expected[:limit]


@EITHER
@given(names=st.lists(st.sampled_from(["lead", "other", "both", "nobody"]), max_size=8))
def test_replay_48_an_inbox_holds_only_what_is_addressed_to_its_reader(alice: make.Person, lead: Actor, names: list[str]) -> None:
    from chat.inbox import look

    begin_anew()
    if not make.Grant.objects.filter(handle="other").exists():
        make.granted(alice, "other")
    said = {"lead": "@lead", "other": "@other", "both": "@other @lead", "nobody": "`@lead`"}
    peer = make.agent(alice)
    for name in names:
        make.message(alice, f"{said[name]} words", by=peer)
    mine = [number for number, name in enumerate(names, 1) if name in {"lead", "both"}]
    found = look(lead)
    assert [line.seq for line in found.mentions] == mine[::-1][:10] and found.unread_mentions == len(mine)
