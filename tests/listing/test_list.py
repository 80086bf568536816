"""sessions_list: which sessions, in which order, with which members."""

from datetime import timedelta
from typing import Any

import pytest

from core.actor import Actor
from core.errors import Forbidden, Invalid
from sessions_app.finding.actions import own_session
from sessions_app.listing.reading import Listing, Wanted, kinds_of, list_sessions
from sessions_app.models import Session, SessionSettings
from sessions_app.transcripts.actions import append
from tests import make
from tests.clock import Clock


def listed(actor: Actor, requester: Session | None = None, **wanted: Any) -> Listing:
    return list_sessions(actor, requester, Wanted(**wanted))


def keys(found: Listing) -> set[str]:
    return {row["key"] for row in found.rows}


def row(found: Listing, key: str) -> dict[str, Any]:
    return next(each for each in found.rows if each["key"] == key)


def decide(who: make.Person, **changes: Any) -> None:
    SessionSettings.objects.filter(pk=who.account.pk).update(**changes)


def test_o_02_the_last_message_is_the_assistants_not_a_tools(alice: make.Person) -> None:
    held = make.session(alice)
    append(held, {"role": "assistant", "content": "done"})
    append(held, {"role": "toolResult", "content": "42"})
    messages = row(listed(alice.actor, messages=1), held.key)["messages"]
    assert [each["role"] for each in messages] == ["assistant"]


def test_o_04_kinds_are_read_in_any_case_and_an_unknown_one_names_the_valid(alice: make.Person) -> None:
    assert kinds_of([" CRON "]) == ("cron",)
    with pytest.raises(Invalid, match="main, group, cron, hook, node, other"):
        kinds_of(["bogus"])


def test_o_07_only_what_was_active_lately(alice: make.Person, clock: Clock) -> None:
    make.session(alice, "agent:main:hook:old", updated_at=clock.moment - timedelta(minutes=10, seconds=1))
    make.session(alice, "agent:main:hook:new", updated_at=clock.moment - timedelta(minutes=9, seconds=59))
    assert keys(listed(alice.actor, active_minutes=10)) == {"agent:main:hook:new"}


def test_o_09_the_one_session_for_all_is_shown_as_main(alice: make.Person) -> None:
    make.session(alice, "global")
    make.session(alice, "unknown")
    assert keys(listed(alice.actor)) == set()
    decide(alice, scope="global")
    assert keys(listed(alice.actor)) == {"main"}


def test_o_11_a_schedules_session_is_a_cron_one(alice: make.Person) -> None:
    make.session(alice, "agent:main:cron:nightly")
    make.session(alice)
    assert keys(listed(alice.actor, kinds=("cron",))) == {"agent:main:cron:nightly"}


@pytest.mark.parametrize(
    ("key", "more", "channel"),
    [
        ("agent:main:whatsapp:direct:1", {"last_channel": "whatsapp"}, "whatsapp"),
        ("agent:main:discord:group:1", {"channel": "discord"}, "discord"),
        ("agent:main:cron:nightly", {"last_channel": "telegram"}, "internal"),
        ("agent:main:something", {}, "unknown"),
    ],
)
def test_o_12_the_channel(alice: make.Person, key: str, more: dict[str, str], channel: str) -> None:
    make.session(alice, key, **more)
    assert row(listed(alice.actor), key)["channel"] == channel


def test_o_13_the_path_of_the_transcript_names_that_session(alice: make.Person, settings: Any) -> None:
    held = make.session(alice)
    assert row(listed(alice.actor), held.key)["transcriptPath"] == f"{settings.TERTULIA_URL}/sessions/{held.session_id}/"


def test_o_14_without_agent_to_agent_only_ones_own_agents_rows(alice: make.Person) -> None:
    own = make.session(alice)
    make.session(alice, "agent:other:main")
    decide(alice, agent_to_agent=False)
    found = listed(make.in_session(alice, own), own)
    assert keys(found) == {own.key} and found.scoped == "tools.agentToAgent.enabled=false"


@pytest.mark.parametrize("level", ["self", "tree", "agent"])
def test_o_15_a_view_that_is_narrowed_says_so(alice: make.Person, level: str) -> None:
    own = make.session(alice)
    decide(alice, visibility=level)
    assert listed(make.in_session(alice, own), own).scoped == f"visibility={level}"
    decide(alice, visibility="all")
    assert listed(make.in_session(alice, own), own).scoped == ""


def test_o_16_where_nothing_is_delivered_no_route_is_shown(alice: make.Person) -> None:
    held = make.session(alice)
    assert "deliveryContext" not in row(listed(alice.actor), held.key)
    make.session(alice, last_channel="telegram", last_to="-100")
    assert row(listed(alice.actor), held.key)["deliveryContext"] == {"channel": "telegram", "to": "-100"}


def test_o_17_a_single_run_of_a_schedule_is_not_listed(alice: make.Person) -> None:
    make.session(alice, "agent:main:cron:j:run:r")
    assert keys(listed(alice.actor)) == set()


def test_the_newest_come_first_page_by_page(alice: make.Person, clock: Clock) -> None:
    for number in range(5):
        make.session(alice, f"agent:main:hook:{number}", updated_at=clock.moment + timedelta(seconds=number))
    first, last = listed(alice.actor, limit=2), listed(alice.actor, limit=2, offset=4)
    assert [each["key"][-1] for each in first.rows] == ["4", "3"] and first.has_more
    assert [each["key"][-1] for each in last.rows] == ["0"] and not last.has_more


def test_archived_ones_are_gone_from_it(alice: make.Person, clock: Clock) -> None:
    make.session(alice, archived_at=clock.moment)
    assert listed(alice.actor).rows == []


def test_charlie_sees_none_of_alices_and_a_narrow_token_none_at_all(alice: make.Person, charlie: make.Person) -> None:
    make.session(alice)
    agent = make.agent(charlie)
    assert keys(listed(agent, own_session(agent))) == {f"node-{agent.connection_id}"}
    narrow = make.agent(alice, scopes="chat.read")
    with pytest.raises(Forbidden):
        listed(narrow)


def test_what_a_list_shows_can_be_read_and_nothing_else_and_the_other_way_round(alice: make.Person) -> None:
    from sessions_app.permissions import check_reach

    own = make.session(alice)
    made = [
        own,
        make.session(alice, "agent:main:hook:1"),
        make.session(alice, "agent:other:main"),
        make.session(alice, "agent:main:subagent:a", spawned_by=own.key),
        make.session(alice, "agent:other:subagent:b", spawned_by="agent:main:subagent:a"),
        make.session(alice, "agent:other:subagent:c", spawned_by="agent:other:main"),
    ]
    actor = make.in_session(alice, own)
    for level in ("self", "tree", "agent", "all"):
        for agents, pairs in ((True, []), (False, []), (True, ["main"]), (True, ["main", "oth*"])):
            decide(alice, visibility=level, agent_to_agent=agents, agent_to_agent_allow=pairs)
            kept = SessionSettings.objects.get(pk=alice.account.pk)
            shown = keys(listed(actor, own))
            for each in made:
                assert (each.key in shown) == _may(check_reach, kept, own, each), (level, each.key)


def _may(check: Any, *asked: Any) -> bool:
    try:
        check(*asked, "history")
    except Forbidden:
        return False
    return True


def test_many_messages_of_many_sessions_stay_within_an_answer(alice: make.Person) -> None:
    for number in range(40):
        append(make.session(alice, f"agent:main:hook:{number}"), {"role": "user", "content": "words " * 600})
    found = listed(alice.actor, messages=20)
    assert len(found.rows) == 40 and found.messages_left_out
