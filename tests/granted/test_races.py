"""Owners who are quicker than each other: threads with connections of their own, on both databases."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from chat.grants.actions import grant, revoke
from chat.models import ChatSettings, Grant, Message, Topic
from chat.topics_owned.actions import archive_topic, open_topic
from core.errors import Conflict, DomainError, Forbidden
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 6


def at_once(*deeds: Callable[[], Any]) -> list[Any]:
    """What each deed answered or raised, all begun at the same moment."""
    gate = Barrier(len(deeds))

    def run(deed: Callable[[], Any]) -> Any:
        try:
            gate.wait(10)
            return deed()
        except DomainError as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(run, deeds))


def refusals(answers: list[Any]) -> list[str]:
    return [answer.code for answer in answers if isinstance(answer, DomainError)]


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_t_07_of_two_grants_of_one_handle_one_is_given(alice: make.Person, turn: int) -> None:
    one, two = make.launch(alice), make.launch(alice)
    answers = at_once(
        *(lambda launch=launch: grant(alice.actor, launch_key=launch.key, typed="lead", handle="lead") for launch in (one, two))
    )
    assert refusals(answers) == ["handle_taken"] and all(isinstance(each, (Grant, Conflict)) for each in answers)
    assert Grant.objects.filter(ended_at=None, handle="lead").count() == 1


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_two_grants_of_one_launch_one_is_given(alice: make.Person, turn: int) -> None:
    launch = make.launch(alice)
    answers = at_once(
        *(lambda handle=handle: grant(alice.actor, launch_key=launch.key, typed=handle, handle=handle) for handle in ("a", "b"))
    )
    assert refusals(answers) == ["already_granted"] and Grant.objects.filter(ended_at=None).count() == 1


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_a_grant_revoked_twice_at_once_ends_once(alice: make.Person, turn: int) -> None:
    from audit.models import Entry

    launch = make.launch(alice)
    grant(alice.actor, launch_key=launch.key, typed="lead")
    answers = at_once(*[lambda: revoke(alice.actor, launch_key=launch.key)] * 3)
    assert refusals(answers) == [] and Entry.objects.filter(deed="chat.revoked").count() == 1


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_two_that_create_one_topic_one_does(alice: make.Person, turn: int) -> None:
    answers = at_once(*[lambda: open_topic(alice.actor, name="docs")] * 3)
    assert refusals(answers) == ["topic_exists"] * 2 and Topic.objects.count() == 1


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_a_topic_created_while_it_is_archived_is_one_topic(alice: make.Person, turn: int) -> None:
    make.message(alice, topic="docs")
    answers = at_once(lambda: open_topic(alice.actor, name="docs"), lambda: archive_topic(alice.actor, name="docs"))
    assert refusals(answers) in ([], ["topic_exists"])
    assert Topic.objects.get().archived_at is not None


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_a_post_beside_the_owners_choice_leaves_no_topic_that_is_unknown(alice: make.Person, turn: int) -> None:
    from chat.actions import update_settings

    agent = make.agent(alice)
    answers = at_once(
        lambda: make.message(alice, by=agent, topic="docs"),
        lambda: update_settings(alice.actor, account_id=alice.account.pk, only_owner_opens_topics=True),
    )
    assert ChatSettings.objects.get(account=alice.account).only_owner_opens_topics
    posted = not isinstance(answers[0], Forbidden)
    assert Message.objects.exists() == posted == Topic.objects.filter(name="docs").exists()
