"""The inbox, and what becomes of a mention."""

from typing import Any

import pytest

from chat.cursors.actions import mark_read, offer_to
from chat.inbox import look
from chat.models import ChatSettings, Mention, Topic
from chat.receipts import State
from chat.serializers_inbox import inbox_out
from core.errors import Forbidden, Invalid
from core.text import byte_length
from tests import make
from tests.inbox.reading import several

pytestmark = pytest.mark.django_db


def test_t_12_an_inbox_tells_its_handle_topics_with_what_is_unread_and_mentions_with_previews(alice: make.Person) -> None:
    lead = make.granted(alice)
    make.message(alice, "hello", topic="docs")
    make.message(alice, "x" * 79 + " @lead " + "é" * 200, topic="docs")
    make.message(alice, by=lead, topic="own")
    told = inbox_out(look(lead))
    assert (told.name, told.verified) == ("lead", True)
    assert [(each.topic, each.unread) for each in told.topics] == [("docs", 2), ("own", 0)]
    (mention,) = told.mentions
    assert (mention.seq, mention.topic, told.unread_mentions) == (2, "docs", 1)
    assert byte_length(mention.preview) <= 160 and mention.preview.endswith("é") and "\ufffd" not in mention.preview


def test_t_13_of_fifteen_unread_mentions_ten_are_shown_newest_first_and_all_are_counted(alice: make.Person) -> None:
    lead = make.granted(alice)
    several(alice, 15, session_name="peer")
    for place in range(15):
        make.message(alice, f"@lead {place}")
    told = inbox_out(look(lead))
    assert [each.seq for each in told.mentions] == list(range(30, 20, -1)) and told.unread_mentions == 15


def test_unread_is_counted_from_the_cursor_in_each_topic(alice: make.Person) -> None:
    lead = make.granted(alice)
    for topic in ("a", "b", "a", "b", "b"):
        make.message(alice, topic=topic)
    mark_read(lead, {"b": 4})
    assert {each.topic: each.unread for each in look(lead).topics} == {"a": 2, "b": 1}


def test_a_topic_the_owner_created_is_listed_before_it_holds_a_message_and_an_archived_one_while_it_is_unread(
    alice: make.Person,
) -> None:
    lead, now = make.granted(alice), make.clock.now()
    make.message(alice, topic="old")
    Topic.objects.create(account=alice.account, name="new", created_at=now)
    Topic.objects.create(account=alice.account, name="old", created_at=now, archived_at=now)
    Topic.objects.create(account=alice.account, name="gone", created_at=now, archived_at=now)
    assert [each.topic for each in look(lead).topics] == ["old", "new"]
    mark_read(lead, {"old": 1})
    assert [each.topic for each in look(lead).topics] == ["new"]


def test_replay_46_two_equal_looks_and_two_equal_reads_answer_the_same(alice: make.Person) -> None:
    lead = make.granted(alice)
    make.message(alice, "@lead hello")
    assert inbox_out(look(lead)) == inbox_out(look(lead))


def test_replay_47_an_inbox_says_who_answered_and_refuses_who_does_not_say(alice: make.Person) -> None:
    agent = make.agent(alice)
    told = inbox_out(look(agent, session_name="builder"))
    assert (told.name, told.verified) == ("builder", False)
    with pytest.raises(Invalid, match="session_name is needed"):
        look(agent)


def test_replay_43_mentions_wait_for_the_next_launch_of_their_handle(alice: make.Person) -> None:
    make.granted(alice)
    make.message(alice, "@lead are you there")
    make.Grant.objects.update(ended_at=make.clock.now(), end="stale")
    assert look(make.granted(alice)).unread_mentions == 1


def test_replay_49_one_readers_mark_reads_nothing_for_another(alice: make.Person) -> None:
    lead, other = make.granted(alice), make.granted(alice, "other")
    make.message(alice, "@lead @other hello")
    mark_read(other, {"general": 1})
    assert (look(lead).unread_mentions, look(other).unread_mentions) == (1, 0)


def test_a_session_has_an_inbox_by_its_name_and_no_handles(alice: make.Person) -> None:
    lead = make.granted(alice)
    make.message(alice, session_name="builder")
    make.message(alice, "@builder @lead hello")
    make.message(alice, "@lead hello")
    assert look(make.agent(alice), session_name="builder").unread_mentions == 1
    assert look(make.agent(alice), session_name="lead").unread_mentions == 0
    assert look(lead, session_name="builder").unread_mentions == 2


def test_the_owner_has_an_inbox(alice: make.Person) -> None:
    make.message(alice, "@maintainer please decide")
    told = inbox_out(look(alice.actor))
    assert (told.name, told.verified, told.unread_mentions) == ("maintainer", True, 1)


def test_charlies_inbox_holds_nothing_of_alices(alice: make.Person, charlie: make.Person) -> None:
    make.granted(alice)
    make.message(alice, "@lead hello")
    found = look(make.granted(charlie))
    assert (found.unread_mentions, found.topics, found.receipts) == (0, [], [])


@pytest.mark.parametrize("change", [{"allowed": False}, {"access": ChatSettings.GRANTED}])
def test_the_switch_and_the_access_mode_shut_the_inbox(alice: make.Person, change: dict[str, Any]) -> None:
    agent = make.agent(alice)
    ChatSettings.objects.filter(account=alice.account).update(**change)
    with pytest.raises(Forbidden):
        look(agent, session_name="builder")


def states(actor: Any) -> list[tuple[str, State]]:
    return [(each.name, each.state) for post in look(actor).receipts for each in post.mentions]


def test_a_receipt_goes_from_stored_to_offered_read_and_replied_and_says_no_more_than_is_known(alice: make.Person) -> None:
    lead, tester = make.granted(alice), make.granted(alice, "tester")
    seq = make.message(alice, "@tester @maintainer done?", by=lead)
    assert states(lead) == [("tester", State.STORED), ("maintainer", State.STORED)]
    offer_to(tester, session_name=None, numbers=[seq])
    assert states(lead) == [("tester", State.OFFERED), ("maintainer", State.STORED)]
    mark_read(tester, {"general": seq})
    assert states(lead)[0] == ("tester", State.READ)
    answer = make.message(alice, "yes", by=tester, reply_to=seq)
    assert states(lead)[0] == ("tester", State.REPLIED)
    assert look(lead).receipts[0].mentions[0].reply_seq == answer


def test_receipts_are_of_ones_own_five_newest_posts_that_mention_somebody(alice: make.Person) -> None:
    lead, tester = make.granted(alice), make.granted(alice, "tester")
    make.message(alice, "@tester of another author")
    mine = [make.message(alice, f"@tester {place}", by=lead) for place in range(6)]
    make.message(alice, "nobody", by=lead)
    assert [post.seq for post in look(lead).receipts] == mine[:0:-1]
    assert look(tester).receipts == []


def test_an_offer_is_noted_once_by_whoever_made_it_first(alice: make.Person) -> None:
    from chat.cursors.actions import offer

    lead = make.granted(alice)
    seq = make.message(alice, "@lead hello")
    offer(alice.account.pk, "handle:lead", by="digest")
    first = Mention.objects.get()
    offer_to(lead, session_name=None, numbers=[seq])
    offer_to(lead, session_name=None, numbers=None)
    again = Mention.objects.get()
    assert (again.offered_by, again.offered_at) == ("digest", first.offered_at)
