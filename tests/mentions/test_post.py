"""Whom a post mentions."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat import actions
from chat.models import ChatSettings, Grant, Mention, Message
from chat.values import Draft, Receipt
from core.actor import Actor
from core.errors import Invalid
from tests import make
from tests.clock import Clock

pytestmark = pytest.mark.django_db


def post(who: Actor, body: str, **more: object) -> Receipt:
    return actions.post(who, Draft(body=body, session_name=str(more.pop("session_name", "peer")), **more))  # type: ignore[arg-type]


def targets() -> list[str]:
    return list(Mention.objects.order_by("id").values_list("target", flat=True))


def test_t_23_a_post_answers_its_number_and_who_is_mentioned(alice: make.Person) -> None:
    make.granted(alice, "lead")
    receipt = post(make.agent(alice), "@lead look at this")
    assert (receipt.seq, receipt.mentioned, receipt.unknown) == (1, ("lead",), ())
    assert targets() == ["handle:lead"] and Message.objects.get().mentions == ["lead"]


def test_t_30_handles_and_the_maintainer_are_mentioned_and_the_rest_is_named_as_unknown(alice: make.Person) -> None:
    make.granted(alice, "lead")
    receipt = post(make.agent(alice), "@lead @ghost @all @maintainer")
    assert receipt.mentioned == ("lead", "maintainer") and receipt.unknown == ("ghost", "all")
    assert targets() == ["handle:lead", "owner"]


def test_t_31_a_name_twice_counts_once_ones_own_never_and_an_address_is_none(alice: make.Person) -> None:
    lead = make.granted(alice, "lead")
    make.granted(alice, "lead-2")
    receipt = post(lead, "@lead @lead-2 @lead-2 mail x@lead-2")
    assert (receipt.mentioned, receipt.unknown) == (("lead-2",), ())


def test_t_31_the_longer_handle_is_meant_where_both_exist(alice: make.Person) -> None:
    make.granted(alice, "lead")
    make.granted(alice, "lead-2")
    assert post(make.agent(alice), "@lead-2").mentioned == ("lead-2",)


def test_t_27_twenty_names_are_mentioned_and_twenty_one_refused(alice: make.Person) -> None:
    for number in range(21):
        make.granted(alice, f"h{number}")
    body = " ".join(f"@h{number}" for number in range(21))
    with pytest.raises(Invalid, match="21 names and at most 20") as refusal:
        post(make.agent(alice), body)
    assert refusal.value.code == "too_many_mentions" and not Message.objects.exists() and not Mention.objects.exists()
    assert len(post(make.agent(alice), body.removesuffix(" @h20")).mentioned) == 20


def test_names_that_are_nobodys_fill_no_answer(alice: make.Person) -> None:
    receipt = post(make.agent(alice), " ".join(f"@n{number}" for number in range(500)))
    assert receipt.mentioned == () and len(receipt.unknown) == 20


@pytest.mark.parametrize("end", ["grant", "launch"])
def test_a_handle_that_ended_is_nobodys(alice: make.Person, end: str) -> None:
    lead = make.granted(alice, "lead")
    if end == "grant":
        Grant.objects.update(ended_at=make.clock.now(), end="revoked")
    else:
        make.Launch.objects.filter(pk=lead.launch_id).update(ended_at=make.clock.now())
    assert post(make.agent(alice), "@lead").unknown == ("lead",)


def test_a_session_that_posted_within_a_day_is_mentioned_by_its_name(alice: make.Person, clock: Clock) -> None:
    make.message(alice, session_name="builder")
    clock.forward(hours=23)
    assert post(make.agent(alice), "@builder").mentioned == ("builder",)
    assert targets() == ["session:builder"]
    clock.forward(hours=2)
    assert post(make.agent(alice), "@builder").unknown == ("builder",)


def test_a_session_mentions_itself_not(alice: make.Person) -> None:
    agent = make.agent(alice)
    post(agent, "hello", session_name="builder")
    receipt = post(agent, "I am @builder", session_name="builder")
    assert (receipt.mentioned, receipt.unknown) == ((), ())


def test_a_handle_comes_before_a_session_of_that_name_also_for_that_session(alice: make.Person) -> None:
    agent = make.agent(alice)
    post(agent, "hello", session_name="lead")
    make.granted(alice, "lead")
    assert post(agent, "@lead", session_name="lead").mentioned == ("lead",)
    assert targets() == ["handle:lead"]


def test_where_only_launches_chat_a_session_name_is_nobodys(alice: make.Person) -> None:
    make.message(alice, session_name="builder")
    lead = make.granted(alice, "lead")
    ChatSettings.objects.filter(account=alice.account).update(access=ChatSettings.GRANTED)
    assert post(lead, "@builder").unknown == ("builder",)


def test_charlies_handles_and_sessions_are_nobodys_to_alice(alice: make.Person, charlie: make.Person) -> None:
    make.granted(charlie, "lead")
    make.message(charlie, session_name="builder")
    assert post(make.agent(alice), "@lead @builder").unknown == ("lead", "builder")
    assert targets() == []


def test_the_owner_mentions_agents_and_not_himself(alice: make.Person) -> None:
    make.granted(alice, "lead")
    receipt = actions.post_as_owner(alice.actor, Draft(body="@lead @maintainer go on", session_name=""))
    assert receipt.mentioned == ("lead",)


def test_t_35_the_author_is_the_verified_launch_whatever_it_says(alice: make.Person) -> None:
    lead = make.granted(alice, "lead")
    for said in ("somebody", "", "another"):
        post(lead, "hello", session_name=said)
    rows = set(Message.objects.values_list("author", "handle", "session_name"))
    assert rows == {(f"launch:{lead.launch_id}", "lead", "lead")}


def test_a_launch_without_a_grant_must_say_what_it_is_called(alice: make.Person) -> None:
    agent = make.launched(alice, make.launch(alice))
    with pytest.raises(Invalid, match="session_name is needed"):
        post(agent, "hello", session_name="")


def test_t_28_t_29_thirty_posts_a_sliding_minute_an_author(alice: make.Person, clock: Clock) -> None:
    from core.errors import TooMany

    lead, other = make.granted(alice, "lead"), make.granted(alice, "tester")
    for _ in range(30):
        post(lead, "x")
    clock.forward(seconds=59)
    with pytest.raises(TooMany):
        post(lead, "x")
    post(other, "x")
    clock.forward(seconds=2)
    post(lead, "x")


def test_a_launch_is_counted_by_itself_and_not_by_its_connection(alice: make.Person, settings: object) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 1  # type: ignore[attr-defined]
    held = make.connection(alice)
    for name in ("lead", "tester"):
        post(make.granted(alice, name, launch_=make.launch(alice, profile=name, connection_=held)), "x")


def test_a_reply_is_noted_with_the_mention_it_answers_once(alice: make.Person) -> None:
    lead, other = make.granted(alice, "lead"), make.granted(alice, "other")
    asked = post(make.agent(alice), "@lead @other well?").seq
    first = post(lead, "yes", reply_to=asked).seq
    post(lead, "still yes", reply_to=asked)
    told = dict(Mention.objects.values_list("target", "reply_seq"))
    assert told == {"handle:lead": first, "handle:other": None}
    post(other, "no mention is answered by this", reply_to=first)
    assert Mention.objects.get(target="handle:other").reply_seq is None


def test_replay_51_a_retry_tells_again_whom_the_first_post_mentioned_and_mentions_nobody_twice(alice: make.Person) -> None:
    make.granted(alice, "lead", wake=True)
    agent = make.agent(alice)
    first = post(agent, "@lead @ghost hello", client_key="k")
    again = post(agent, "@lead @ghost hello", client_key="k")
    assert again.duplicate and Mention.objects.count() == 1
    assert (again.mentioned, again.unknown, again.wakes) == (first.mentioned, first.unknown, first.wakes)


def test_mentions_go_with_their_message(alice: make.Person) -> None:
    from core.actor import system

    make.granted(alice, "lead")
    post(make.agent(alice), "@lead one")
    post(make.agent(alice), "@lead two")
    gone = Message.objects.get(seq=1).pk
    actions.remove_messages(system(), account_id=alice.account.pk, ids=[gone])
    assert list(Mention.objects.values_list("seq", flat=True)) == [2]


def test_a_body_without_an_at_costs_no_more_statements(alice: make.Person, django_assert_num_queries: object) -> None:
    agent = make.agent(alice)
    post(agent, "warm")
    seen: list[str] = []
    from chat import store

    real = store.execute

    def counted(sql: str, parameters: list[object]) -> object:
        seen.append(sql.split(maxsplit=1)[0])
        return real(sql, parameters)

    store.execute = counted  # type: ignore[assignment]
    try:
        with django_assert_num_queries(2):  # type: ignore[operator] -- the transaction's own savepoint and its release
            post(agent, "plain text, no name in it")
    finally:
        store.execute = real
    assert seen == ["UPDATE", "SELECT", "SELECT", "INSERT"]


WORDS = st.sampled_from(["@lead", "@tester", "@maintainer", "@ghost", "`@lead`", "x@lead", "word"])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.lists(WORDS, min_size=1, max_size=6))
def test_replay_48_rows_are_kept_for_exactly_those_who_are_mentioned(alice: make.Person, body: list[str]) -> None:
    if not Grant.objects.exists():
        make.granted(alice, "lead")
        make.granted(alice, "tester")
    receipt = post(make.agent(alice), " ".join(body))
    meant = {"@lead": "handle:lead", "@tester": "handle:tester", "@maintainer": "owner"}
    kept = set(Mention.objects.filter(seq=receipt.seq).values_list("target", flat=True))
    assert kept == {meant[word] for word in body if word in meant}


def test_time_of_a_mention_is_its_messages(alice: make.Person, clock: Clock) -> None:
    make.granted(alice, "lead")
    clock.forward(minutes=5)
    post(make.agent(alice), "@lead")
    assert Mention.objects.get().created_at == Message.objects.get().created_at == clock.moment
