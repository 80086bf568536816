import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.actions import update_settings
from chat.models import Message
from chat.reading import check_cursor, check_exclusions, read_page
from chat.values import Exclusions, Page
from core.errors import DomainError, Forbidden, Invalid
from tests import make


def numbers(page: Page) -> list[int]:
    return [entry.seq for entry in page.messages]


def test_w_13_a_new_session_reads_earlier_messages_oldest_first(alice: make.Person) -> None:
    for _ in range(3):
        make.message(alice)
    assert numbers(read_page(make.agent(alice), after=0)) == [1, 2, 3]


def test_w_14_only_messages_after_the_cursor_are_read(alice: make.Person) -> None:
    for _ in range(3):
        make.message(alice)
    page = read_page(make.agent(alice), after=2)
    assert (numbers(page), page.last_seq, page.latest_seq, page.has_more) == ([3], 3, 3, False)


def test_w_15_pages_miss_and_repeat_nothing(alice: make.Person) -> None:
    agent = make.agent(alice)
    for _ in range(7):
        make.message(alice)
    seen, after, more = [], 0, True
    while more:
        page = read_page(agent, after=after, limit=3)
        seen += numbers(page)
        after, more = page.last_seq, page.has_more
    assert seen == [1, 2, 3, 4, 5, 6, 7]


def test_w_15_the_first_page_of_many_says_so_and_ends_at_its_last_message(alice: make.Person) -> None:
    for _ in range(7):
        make.message(alice)
    page = read_page(make.agent(alice), after=0, limit=3)
    assert (page.has_more, page.last_seq, page.latest_seq) == (True, 3, 7)


def test_w_22_an_excluded_name_is_exact(alice: make.Person) -> None:
    for name in ("bot", "Bot", "bot2", "bot "):
        make.message(alice, session_name=name)
    page = read_page(make.agent(alice), after=0, exclusions=Exclusions(sessions=("bot",)))
    assert [entry.session_name for entry in page.messages] == ["Bot", "bot2", "bot "]


def test_w_23_several_topics_and_names_are_left_out(alice: make.Person) -> None:
    for topic, name in (("a", "x"), ("b", "x"), ("c", "y"), ("c", "z"), ("d", "w")):
        make.message(alice, topic=topic, session_name=name)
    page = read_page(make.agent(alice), after=0, exclusions=Exclusions(topics=("a", "b"), sessions=("y", "z")))
    assert [entry.topic for entry in page.messages] == ["d"]


def test_w_26_the_cursor_passes_what_was_excluded(alice: make.Person, settings: object) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 0  # type: ignore[attr-defined]
    agent = make.agent(alice)
    for _ in range(50):
        make.message(alice, by=agent, topic="noise")
    make.message(alice, by=agent, topic="wanted")
    page = read_page(agent, after=0, limit=20, exclusions=Exclusions(topics=("noise",)))
    assert (numbers(page), page.last_seq, page.has_more) == ([51], 51, False)
    quiet = read_page(agent, after=0, exclusions=Exclusions(topics=("noise", "wanted")))
    assert (numbers(quiet), quiet.last_seq) == ([], 51)


def test_w_29_a_reply_outlives_its_parent_and_says_it_is_gone(alice: make.Person) -> None:
    root = make.message(alice)
    make.message(alice, reply_to=root)
    Message.objects.filter(seq=root).delete()
    (reply,) = read_page(make.agent(alice), after=0).messages
    assert (reply.reply_to, reply.reply_to_gone, reply.thread) == (root, True, root)


def test_a_cursor_beyond_the_latest_number_is_refused_and_named(alice: make.Person) -> None:
    make.message(alice)
    with pytest.raises(Invalid, match="the latest message is #1"):
        read_page(make.agent(alice), after=2)


def test_last_seq_never_falls_below_the_cursor_even_when_all_is_deleted(alice: make.Person) -> None:
    for _ in range(3):
        make.message(alice)
    Message.objects.all().delete()
    page = read_page(make.agent(alice), after=3)
    assert (page.last_seq, page.latest_seq) == (3, 3)


def test_w_33_reading_is_refused_while_the_switch_is_off(alice: make.Person) -> None:
    update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    with pytest.raises(Forbidden) as refusal:
        read_page(make.agent(alice), after=0)
    assert refusal.value.code == "account_chat_disabled"


def test_charlie_reads_nothing_of_alices(alice: make.Person, charlie: make.Person) -> None:
    make.message(alice)
    assert read_page(make.agent(charlie), after=0).messages == ()
    assert not Message.objects.visible_to(make.agent(charlie)).exists()


def test_a_token_that_may_only_post_cannot_read(alice: make.Person) -> None:
    with pytest.raises(Forbidden, match=r"chat\.read"):
        read_page(make.agent(alice, scopes="chat.post"), after=0)


@given(st.integers(min_value=-(2**70), max_value=2**70))
def test_a_cursor_is_taken_or_refused(after: int) -> None:
    try:
        assert check_cursor(after) == after and 0 <= after < 2**63
    except Invalid:
        assert not 0 <= after < 2**63


@given(st.lists(st.text(max_size=70), max_size=4), st.lists(st.text(max_size=70), max_size=4))
def test_exclusions_are_taken_or_refused_with_a_sentence(topics: list[str], sessions: list[str]) -> None:
    try:
        check_exclusions(Exclusions(topics=tuple(topics), sessions=tuple(sessions)))
    except DomainError as refusal:
        assert refusal.status == 400 and refusal.detail.endswith((".", "docs/review."))


def test_more_than_a_hundred_exclusions_are_refused(alice: make.Person) -> None:
    with pytest.raises(Invalid, match="name fewer"):
        read_page(make.agent(alice), after=0, exclusions=Exclusions(topics=("a",) * 101))
