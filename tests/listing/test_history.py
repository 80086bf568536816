"""sessions_history: whose messages, and which."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from core.actor import Actor
from core.errors import Conflict, Forbidden, NotFound
from sessions_app.listing.history import History, history
from sessions_app.models import Session, SessionSettings
from sessions_app.transcripts.actions import append
from tests import make
from tests.clock import Clock


def told(who: make.Person | Actor, given: str, requester: Session | None = None, **more: Any) -> History:
    return history(who.actor if isinstance(who, make.Person) else who, requester, given, **more)


def texts(found: History) -> list[Any]:
    return [each["content"] for each in found.told.messages]


def test_o_20_results_of_tools_are_left_out_unless_wanted(alice: make.Person) -> None:
    held = make.session(alice)
    for role in ("user", "assistant", "toolResult", "tool"):
        append(held, {"role": role, "content": role})
    assert texts(told(alice, "main")) == ["user", "assistant"]
    assert texts(told(alice, "main", with_tools=True)) == ["user", "assistant", "toolResult", "tool"]


def test_o_28_a_session_id_is_resolved_to_its_key(alice: make.Person) -> None:
    held = make.session(alice, "agent:main:hook:1")
    append(held, {"role": "user", "content": "hello"})
    found = told(alice, str(held.session_id).upper())
    assert found.session.key == held.key and texts(found) == ["hello"]


def test_o_29_an_unknown_id_is_not_found(alice: make.Person) -> None:
    with pytest.raises(NotFound):
        told(alice, str(uuid.uuid4()))


def test_o_30_to_a_restricted_sandbox_it_is_forbidden(alice: make.Person) -> None:
    own = make.session(alice, sandboxed=True)
    with pytest.raises(Forbidden, match="sessionToolsVisibility=spawned"):
        told(make.in_session(alice, own), str(uuid.uuid4()), own)


def test_o_31_a_key_of_ones_own_making_is_a_key(alice: make.Person) -> None:
    append(make.session(alice, "temp:slug"), {"role": "user", "content": "here"})
    assert texts(told(alice, "temp:slug")) == ["here"]


def test_o_32_of_two_with_one_id_the_key_that_ends_with_it_wins_else_the_newest(alice: make.Person, clock: Clock) -> None:
    shared = uuid.uuid4()
    ending = make.session(alice, f"agent:main:subagent:{shared}", session_id=shared, updated_at=clock.moment)
    newer = make.session(alice, "agent:main:hook:1", session_id=shared, updated_at=clock.moment + timedelta(hours=1))
    assert told(alice, str(shared)).session == ending
    make.session(alice, ending.key, archived_at=clock.moment)
    other = make.session(alice, "agent:main:hook:2", session_id=shared, updated_at=clock.moment)
    assert told(alice, str(shared)).session == newer
    Session.objects.filter(pk=other.pk).update(updated_at=newer.updated_at)
    with pytest.raises(Conflict):
        told(alice, str(shared))


def test_o_33_after_a_rerun_the_new_runs_messages_are_shown(alice: make.Person) -> None:
    held = make.session(alice, "agent:main:cron:nightly")
    append(held, {"role": "user", "content": "yesterday"})
    held = make.session(alice, held.key, session_id=uuid.uuid4())
    append(held, {"role": "user", "content": "today"})
    assert texts(told(alice, held.key)) == ["today"]


def test_o_83_a_child_that_ended_long_ago_is_listed_and_read(alice: make.Person, clock: Clock) -> None:
    from sessions_app.listing.reading import Wanted, list_sessions

    own = make.session(alice)
    child = make.session(alice, "agent:main:subagent:a", spawned_by=own.key)
    SessionSettings.objects.filter(pk=alice.account.pk).update(visibility="tree")
    clock.forward(minutes=31)
    actor = make.in_session(alice, own)
    assert child.key in {row["key"] for row in list_sessions(actor, own, Wanted()).rows}
    assert told(actor, child.key, own).session == child


def test_a_limit_leaves_the_oldest_out_and_says_so(alice: make.Person) -> None:
    held = make.session(alice)
    for number in range(3):
        append(held, {"role": "user", "content": str(number)})
    found = told(alice, "main", limit=2)
    assert texts(found) == ["1", "2"] and found.told.flags.dropped
    assert not told(alice, "main", limit=3).told.flags.dropped


def test_charlie_reads_none_of_alices_by_key_or_id(alice: make.Person, charlie: make.Person) -> None:
    held = make.session(alice, "agent:main:hook:1")
    for given in (held.key, str(held.session_id)):
        with pytest.raises(NotFound) as refusal:
            told(charlie, given)
        with pytest.raises(NotFound) as unknown:
            told(charlie, "agent:main:hook:nobody")
        assert refusal.value.detail == unknown.value.detail


@pytest.mark.parametrize("given", ["", " ", "x" * 5000, "agent::", "\0", "agent:main:", "../..", "\ud800"])
def test_no_odd_key_is_more_than_unknown(alice: make.Person, given: str) -> None:
    with pytest.raises(NotFound):
        told(alice, given)
