import pytest

from accounts.actions import revoke_connection
from audit.models import Entry
from core.errors import NotFound
from tests import make


def test_an_owner_revokes_his_connection_once_and_it_is_recorded_once(alice: make.Person) -> None:
    connection = make.connection(alice)
    revoke_connection(alice.actor, connection_id=connection.pk)
    again = revoke_connection(alice.actor, connection_id=connection.pk)
    assert not again.is_active
    assert Entry.objects.filter(deed="connection.revoked", target=connection.pk).count() == 1


def test_charlie_gets_the_same_answer_for_a_foreign_and_an_unknown_connection(alice: make.Person, charlie: make.Person) -> None:
    foreign = make.connection(alice)
    answers = []
    for connection_id in (foreign.pk, "c-0000000000000000"):
        with pytest.raises(NotFound) as refusal:
            revoke_connection(charlie.actor, connection_id=connection_id)
        answers.append(refusal.value.detail)
    assert answers[0] == answers[1]
    foreign.refresh_from_db()
    assert foreign.is_active


def test_an_agent_gives_up_its_own_connection_and_no_other(alice: make.Person) -> None:
    agent, other = make.agent(alice), make.connection(alice)
    with pytest.raises(NotFound):
        revoke_connection(agent, connection_id=other.pk)
    assert not revoke_connection(agent, connection_id=agent.connection_id).is_active
    other.refresh_from_db()
    assert other.is_active
