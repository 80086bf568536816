"""Who changes the settings of a push inbox."""

import pytest

from core.errors import Forbidden, NotFound
from sessions_app.owning.actions import Wrong
from tests import make
from triggers.owning.actions import update_settings


def test_an_agent_changes_nothing(alice: make.Person) -> None:
    with pytest.raises(Forbidden):
        update_settings(make.agent(alice), account_id=alice.account.pk, auto_runs=1)


def test_a_foreign_and_an_unknown_account_answer_alike(alice: make.Person, charlie: make.Person) -> None:
    told = []
    for account_id in (alice.account.pk, 10**9):
        with pytest.raises(NotFound) as refusal:
            update_settings(charlie.actor, account_id=account_id, auto_runs=1)
        told.append(refusal.value.detail)
    assert told[0] == told[1]


def test_a_setting_that_is_none_is_refused(alice: make.Person) -> None:
    with pytest.raises(Wrong):
        update_settings(alice.actor, account_id=alice.account.pk, last_seq=0)
