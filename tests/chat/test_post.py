from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from chat import actions
from chat.drafts import check_body
from chat.models import Counter, Message
from chat.values import Draft
from core.actor import operator, system
from core.errors import Conflict, Forbidden, Invalid, NotFound, StorageFull, TooMany
from tests import make
from tests.clock import Clock


def draft(body: str = "hello", **more: Any) -> Draft:
    return Draft(body=body, session_name=more.pop("session_name", "bot"), **more)


def test_w_01_a_post_without_a_topic_lies_in_general(alice: make.Person) -> None:
    assert actions.post(make.agent(alice), draft()).topic == "general"


def test_w_08_a_row_holds_account_name_connection_topic_number_and_time(alice: make.Person, clock: Clock) -> None:
    agent = make.agent(alice)
    actions.post(agent, draft(topic="docs/review"))
    row = Message.objects.get()
    assert (row.account_id, row.session_name, row.connection_id) == (alice.account.pk, "bot", agent.connection_id)
    assert (row.topic, row.seq, row.created_at) == ("docs/review", 1, clock.moment)


def test_w_04_a_reply_without_a_topic_lies_in_its_parents_topic(alice: make.Person) -> None:
    parent = make.message(alice, topic="docs/review")
    assert actions.post(make.agent(alice), draft(reply_to=parent)).topic == "docs/review"


def test_w_05_a_reply_with_another_topic_is_refused_and_names_the_parents(alice: make.Person) -> None:
    parent = make.message(alice, topic="docs/review")
    with pytest.raises(Invalid, match="docs/review"):
        actions.post(make.agent(alice), draft(reply_to=parent, topic="general"))
    assert Message.objects.count() == 1


def test_w_06_a_reply_to_an_unknown_and_to_a_foreign_number_get_the_same_answer(alice: make.Person, charlie: make.Person) -> None:
    for _ in range(3):
        make.message(alice)
    answers = []
    for number in (3, 999):
        with pytest.raises(NotFound) as refusal:
            actions.post(make.agent(charlie), draft(reply_to=number))
        answers.append(refusal.value.detail.replace(str(number), "N"))
    assert answers[0] == answers[1]
    assert not Message.objects.filter(account=charlie.account).exists()


def test_w_07_a_reply_to_a_reply_joins_the_root_of_its_thread(alice: make.Person) -> None:
    root = make.message(alice, topic="docs/review")
    reply = actions.post(make.agent(alice), draft(reply_to=root))
    second = actions.post(make.agent(alice), draft(reply_to=reply.seq))
    assert (second.thread, second.topic, second.reply_to) == (root, "docs/review", reply.seq)


def test_w_09_two_sessions_of_one_connection_share_its_id_under_different_names(alice: make.Person) -> None:
    agent = make.agent(alice)
    for name in ("one", "two"):
        actions.post(agent, draft(session_name=name))
    assert set(Message.objects.values_list("connection_id", "session_name")) == {
        (agent.connection_id, "one"),
        (agent.connection_id, "two"),
    }


def test_w_10_w_12_two_connections_that_claim_one_name_are_told_apart(alice: make.Person) -> None:
    for _ in range(2):
        actions.post(make.agent(alice), draft(session_name="lead"))
    assert len(set(Message.objects.values_list("connection_id", flat=True))) == 2


def test_numbers_go_on_after_a_refused_post_without_a_gap(alice: make.Person) -> None:
    make.message(alice)
    with pytest.raises(NotFound):
        make.message(alice, reply_to=77)
    assert make.message(alice) == 2


def test_numbers_are_each_accounts_own(alice: make.Person, bob: make.Person) -> None:
    assert [make.message(alice), make.message(bob), make.message(alice)] == [1, 1, 2]


def test_numbers_go_on_after_everything_was_deleted(alice: make.Person) -> None:
    make.message(alice)
    Message.objects.all().delete()
    assert make.message(alice) == 2


def test_w_32_a_new_account_may_chat(alice: make.Person) -> None:
    assert alice.account.chat_settings.allowed


def test_a_retry_with_the_same_client_key_is_stored_once(alice: make.Person) -> None:
    agent = make.agent(alice)
    first = actions.post(agent, draft(client_key="k1"))
    again = actions.post(agent, draft(client_key="k1"))
    assert (again.seq, again.duplicate, Message.objects.count()) == (first.seq, True, 1)
    assert Counter.objects.get(account=alice.account).last_seq == 1


def test_a_client_key_with_other_content_is_refused(alice: make.Person) -> None:
    agent = make.agent(alice)
    actions.post(agent, draft(client_key="k1"))
    with pytest.raises(Conflict, match="#1"):
        actions.post(agent, draft("other", client_key="k1"))


def test_row_49_one_authors_client_key_never_suppresses_anothers_post(alice: make.Person) -> None:
    for _ in range(2):
        assert not actions.post(make.agent(alice), draft(client_key="k1")).duplicate


@pytest.mark.parametrize("body", ["", "a" * 8193, "é" * 4097, "a\x00b", "a\rb", "\x1b[31m", "\x7f", "\x85", "\ud800"])
def test_a_malformed_body_is_refused_and_nothing_is_stored(alice: make.Person, body: str) -> None:
    with pytest.raises(Invalid):
        actions.post(make.agent(alice), draft(body))
    assert Message.objects.count() == 0


@given(st.text(alphabet=st.characters(blacklist_categories=("Cc", "Cs")), min_size=1, max_size=200))
def test_any_text_without_control_characters_is_taken(body: str) -> None:
    check_body(body, most_bytes=8192)


@given(st.binary(max_size=64))
@hypothesis_settings(max_examples=200)
def test_a_body_is_taken_or_refused_but_never_breaks(raw: bytes) -> None:
    try:
        check_body(raw.decode("utf-8", "surrogateescape"), most_bytes=8192)
    except Invalid as refusal:
        assert refusal.detail.endswith((".", "it out."))


def test_the_31st_post_within_a_minute_is_refused_and_another_author_goes_on(alice: make.Person, clock: Clock) -> None:
    agent = make.agent(alice)
    for _ in range(30):
        actions.post(agent, draft())
        clock.forward(seconds=59 / 29)
    clock.forward(seconds=-59 / 29)
    with pytest.raises(TooMany, match="wait 1 seconds"):
        actions.post(agent, draft())
    actions.post(make.agent(alice), draft())
    clock.forward(seconds=2)
    actions.post(agent, draft())


def test_a_full_account_refuses_posts(alice: make.Person, settings: Any) -> None:
    settings.CHAT_STORAGE_BYTES = 10
    actions.post(make.agent(alice), draft("12345"))
    with pytest.raises(StorageFull):
        actions.post(make.agent(alice), draft("123456"))
    assert Counter.objects.get(account=alice.account).stored_bytes == 5


def test_a_token_that_may_only_read_cannot_post(alice: make.Person) -> None:
    with pytest.raises(Forbidden, match=r"chat\.post"):
        actions.post(make.agent(alice, scopes="chat.read"), draft())


def test_w_33_w_34_the_owners_switch_refuses_posts_and_gives_them_back(alice: make.Person) -> None:
    make.message(alice)
    actions.update_settings(alice.actor, account_id=alice.account.pk, allowed=False)
    with pytest.raises(Forbidden) as refusal:
        make.message(alice)
    assert refusal.value.code == "account_chat_disabled"
    actions.update_settings(alice.actor, account_id=alice.account.pk, allowed=True)
    assert make.message(alice) == 2


def test_w_35_no_agent_foreign_owner_command_or_task_turns_the_switch(alice: make.Person, charlie: make.Person) -> None:
    for actor, error in (
        (make.agent(alice), Forbidden),
        (charlie.actor, NotFound),
        (operator(), Forbidden),
        (system(), Forbidden),
    ):
        with pytest.raises(error):
            actions.update_settings(actor, account_id=alice.account.pk, allowed=False)
    alice.account.chat_settings.refresh_from_db()
    assert alice.account.chat_settings.allowed
