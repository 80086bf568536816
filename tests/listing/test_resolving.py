"""Which session a key, an id or a label means, and who learns that there is one."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from audit.models import Entry as AuditEntry
from core.errors import Conflict, Forbidden, Invalid, NotFound
from core.refusals import note
from sessions_app.finding.resolving import by_label, reach, resolve
from sessions_app.models import Session, SessionSettings
from sessions_app.permissions import check_delivery, check_reach, may_deliver
from tests import make
from tests.clock import Clock


def kept(who: make.Person, **changes: Any) -> SessionSettings:
    SessionSettings.objects.filter(pk=who.account.pk).update(**changes)
    return SessionSettings.objects.get(pk=who.account.pk)


def test_main_is_the_main_session_of_ones_own_agent(alice: make.Person) -> None:
    main, other = make.session(alice), make.session(alice, "agent:ops:main")
    assert resolve(alice.account.pk, "main") == resolve(alice.account.pk, "MAIN ", main) == main
    assert resolve(alice.account.pk, "main", other) == other


def test_under_the_scope_global_main_is_the_one_for_all(alice: make.Person) -> None:
    kept(alice, scope="global")
    shared = make.session(alice)
    assert shared.key == "global" and shared.kind == "main"
    assert resolve(alice.account.pk, "main") == shared


def test_o_31_a_key_that_exists_is_taken_as_it_is_else_under_ones_own_agent(alice: make.Person) -> None:
    below = make.session(alice, "agent:main:temp:slug")
    assert resolve(alice.account.pk, "temp:slug") == below
    exact = make.session(alice, "temp:slug")
    assert resolve(alice.account.pk, "Temp:Slug") == exact


def test_o_31_a_key_that_looks_like_an_id_is_a_key_first(alice: make.Person) -> None:
    other = make.session(alice, "agent:main:other")
    named = make.session(alice, str(other.session_id))
    assert resolve(alice.account.pk, str(other.session_id)) == named


def test_o_32_an_id_of_two_sessions_is_that_of_the_key_that_ends_with_it(alice: make.Person, clock: Clock) -> None:
    shared = uuid4()
    ending = make.session(alice, f"agent:main:subagent:{shared}", session_id=shared)
    clock.forward(seconds=60)
    make.session(alice, "agent:main:later", session_id=shared)
    assert resolve(alice.account.pk, str(shared)) == ending


def test_o_32_else_of_the_newest_and_a_tie_is_not_resolved(alice: make.Person, clock: Clock) -> None:
    shared = uuid4()
    older = make.session(alice, "agent:main:a", session_id=shared)
    clock.forward(seconds=1)
    newer = make.session(alice, "agent:main:b", session_id=shared)
    assert resolve(alice.account.pk, str(shared)) == newer
    Session.objects.filter(pk=newer.pk).update(updated_at=older.updated_at)
    with pytest.raises(Conflict):
        resolve(alice.account.pk, str(shared))


@pytest.mark.parametrize("label", ["", "   ", "x" * 65])
def test_o_43_what_is_no_label_is_refused(alice: make.Person, label: str) -> None:
    with pytest.raises(Invalid):
        by_label(alice.account.pk, label)


def test_a_label_finds_its_session_and_nobody_elses(alice: make.Person, charlie: make.Person) -> None:
    held = make.session(alice, "agent:main:work", label="work")
    assert by_label(alice.account.pk, " work ") == held
    with pytest.raises(NotFound):
        by_label(charlie.account.pk, "work")


def test_charlie_finds_none_of_alices(alice: make.Person, charlie: make.Person) -> None:
    held = make.session(alice, "agent:main:work")
    make.session(charlie)
    for given in (held.key, str(held.session_id)):
        with pytest.raises(NotFound):
            resolve(charlie.account.pk, given)


@pytest.mark.parametrize("level", ["self", "tree"])
def test_who_sees_a_part_alone_does_not_learn_what_else_there_is(alice: make.Person, level: str) -> None:
    own, there = make.session(alice), make.session(alice, "agent:main:there", label="there")
    settings = kept(alice, visibility=level)
    said = set()
    for given in (there.key, "agent:main:nowhere", str(uuid4()), str(there.session_id)):
        with pytest.raises(Forbidden) as refusal:
            reach(settings, own, given, "history")
        said.add((refusal.value.code, refusal.value.detail))
    with pytest.raises(Forbidden) as refusal:
        by_label(alice.account.pk, "nowhere", own)
    assert said == {(refusal.value.code, refusal.value.detail)}


def test_other_agents_keys_are_refused_alike_while_agents_do_not_reach_each_other(alice: make.Person) -> None:
    own = make.session(alice)
    make.session(alice, "agent:ops:main")
    settings = kept(alice, agent_to_agent=False)
    for given in ("agent:ops:main", "agent:ops:nowhere"):
        with pytest.raises(Forbidden, match=r"tools\.agentToAgent\.enabled"):
            reach(settings, own, given, "send")
    with pytest.raises(NotFound):
        reach(settings, own, "agent:main:nowhere", "send")


def test_o_82_a_sandboxed_sub_agent_is_held_to_what_it_spawned_like_any_sandboxed_session(alice: make.Person) -> None:
    own = make.session(alice, "agent:main:subagent:1", sandboxed=True, spawned_by="agent:main:main")
    child = make.session(alice, "agent:main:subagent:2", spawned_by=own.key)
    parent = make.session(alice)
    check_reach(kept(alice), own, child, "history")
    with pytest.raises(Forbidden, match="sessionToolsVisibility=spawned"):
        check_reach(kept(alice), own, parent, "history")


def test_a_session_of_a_sandboxed_agent_is_sandboxed(alice: make.Person) -> None:
    make.hub_agent(alice, "boxed", sandboxed=True)
    own, parent = make.session(alice, "agent:boxed:main"), make.session(alice)
    with pytest.raises(Forbidden):
        check_reach(kept(alice), own, parent, "list")


def test_o_83_what_it_spawned_stays_in_reach_when_its_spawner_was_archived(alice: make.Person, clock: Clock) -> None:
    own = make.session(alice)
    middle = make.session(alice, "agent:main:subagent:1", spawned_by=own.key)
    leaf = make.session(alice, "agent:main:subagent:2", spawned_by=middle.key)
    clock.forward(seconds=31 * 60)
    Session.objects.filter(pk=middle.pk).update(archived_at=leaf.updated_at)
    check_reach(kept(alice, visibility="tree"), own, leaf, "history")


def test_a_circle_of_spawners_ends(alice: make.Person) -> None:
    make.session(alice, "agent:main:a", spawned_by="agent:main:b")
    target = make.session(alice, "agent:main:b", spawned_by="agent:main:a")
    with pytest.raises(Forbidden):
        check_reach(kept(alice, visibility="tree"), make.session(alice), target, "history")


def test_a_session_s_own_policy_goes_before_the_account_s(alice: make.Person) -> None:
    held = make.session(alice, "agent:main:discord:group:1", channel="discord")
    settings = kept(alice, send_policy={"rules": [{"action": "deny", "match": {"channel": "discord"}}]})
    assert not may_deliver(settings, held)
    with pytest.raises(Forbidden, match="sendPolicy"):
        check_delivery(settings, held)
    held.send_policy = "allow"
    assert may_deliver(settings, held)


def test_a_refusal_is_written_down_once_in_a_while_with_the_session_and_the_deed(alice: make.Person) -> None:
    own, there = make.session(alice), make.session(alice, "agent:main:there")
    actor = make.in_session(alice, own)
    with pytest.raises(Forbidden) as refusal:
        reach(kept(alice, visibility="self"), own, there.key, "history")
    note(actor, refusal.value)
    note(actor, refusal.value)
    entry = AuditEntry.objects.get(deed="session.refused")
    assert (entry.target_label, entry.details) == (there.key, {"reason": "session_forbidden", "tried": "history"})
    note(replace(actor, session_id=None), refusal.value)
    assert AuditEntry.objects.filter(deed="session.refused").count() == 2
