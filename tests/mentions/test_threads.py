"""Where a post lies that names a thread."""

import pytest

from chat import actions
from chat.models import Message
from chat.values import Draft, Receipt
from core.errors import Conflict, DomainError, Invalid, NotFound
from tests import make

pytestmark = pytest.mark.django_db


def post(who: make.Person, **more: object) -> Receipt:
    return actions.post(make.agent(who), Draft(body="x", session_name="peer", **more))  # type: ignore[arg-type]


def test_a_post_joins_a_thread_by_its_root_and_its_topic_with_it(alice: make.Person) -> None:
    root = make.message(alice, topic="docs")
    told = post(alice, thread=root)
    assert (told.topic, told.thread, told.reply_to) == ("docs", root, None)


def test_t_33_a_thread_that_names_a_reply_is_refused_with_its_root(alice: make.Person) -> None:
    root = make.message(alice)
    reply = make.message(alice, reply_to=root)
    with pytest.raises(Invalid, match=f"thread of #{root}"):
        post(alice, thread=reply)
    assert Message.objects.count() == 2


def test_t_33_a_thread_of_another_topic_is_refused(alice: make.Person) -> None:
    root = make.message(alice, topic="docs")
    with pytest.raises(Invalid, match="docs"):
        post(alice, thread=root, topic="general")
    assert Message.objects.count() == 1


def test_a_reply_and_a_thread_agree_or_are_refused(alice: make.Person) -> None:
    root, other = make.message(alice), make.message(alice)
    reply = make.message(alice, reply_to=root)
    assert post(alice, reply_to=reply, thread=root).thread == root
    with pytest.raises(Invalid, match=f"thread of #{root}"):
        post(alice, reply_to=reply, thread=other)


def test_an_unknown_and_a_foreign_thread_get_the_same_answer(alice: make.Person, charlie: make.Person) -> None:
    make.message(alice)
    answers = []
    for number in (1, 99):
        with pytest.raises(NotFound) as refusal:
            post(charlie, thread=number)
        answers.append(refusal.value.detail.replace(f"#{number}", "#N"))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("number", [0, -1, 2**63])
def test_a_thread_out_of_range_is_refused(alice: make.Person, number: int) -> None:
    with pytest.raises(Invalid):
        post(alice, thread=number)


def test_a_retry_in_a_thread_is_the_same_post_and_elsewhere_a_conflict(alice: make.Person) -> None:
    agent, root, other = make.agent(alice), make.message(alice), make.message(alice)

    def again(**more: object) -> Receipt:
        return actions.post(agent, Draft(body="x", session_name="peer", client_key="k", **more))  # type: ignore[arg-type]

    first = again(thread=root)
    assert again(thread=root).seq == first.seq
    for elsewhere in ({"thread": other}, {}):
        with pytest.raises(DomainError) as refusal:
            again(**elsewhere)
        assert isinstance(refusal.value, Conflict)
