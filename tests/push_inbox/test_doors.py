"""The agent's door lets an agent acknowledge, and nothing else."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, transaction

from tests import make
from tests.door import through_the_door
from tests.make import Person
from tests.pushing import push_many
from triggers.inbox import reading
from triggers.inbox.actions import ack
from triggers.models import Firing, PushMessage, TriggerSettings

pytestmark = pytest.mark.django_db


def test_an_agent_lists_and_acknowledges_through_its_door(alice: Person) -> None:
    push_many(alice, 2)
    agent = make.agent(alice, scopes="channels.read")
    assert len(through_the_door(lambda: reading.listed(agent)).messages) == 2
    assert through_the_door(lambda: ack(agent)).messages == 2


ATTEMPTS: dict[str, Callable[[], object]] = {
    "write a message": lambda: PushMessage.objects.update(content="never pushed"),
    "bring a message back": lambda: PushMessage.objects.update(cleared=False),
    "delete messages": lambda: PushMessage.objects.all()._raw_delete(using="default"),
    "start firing again": lambda: TriggerSettings.objects.update(paused_at=None),
    "turn the numbers back": lambda: TriggerSettings.objects.update(last_seq=0),
    "read a firing's prompt": lambda: list(Firing.objects.values_list("prompt")),
    "accept a firing": lambda: Firing.objects.update(accepted=True),
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_the_door_holds_against_a_bug_of_ours(alice: Person, attempt: str) -> None:
    push_many(alice, 1)

    def tried() -> None:
        with pytest.raises(DatabaseError), transaction.atomic():
            ATTEMPTS[attempt]()

    through_the_door(tried)


def test_the_attempts_are_known_to_work_elsewhere(alice: Person) -> None:
    push_many(alice, 1)
    for attempt in ATTEMPTS.values():
        attempt()
