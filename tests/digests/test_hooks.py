"""Hooks: what an event is answered, and what it writes."""

from collections.abc import Callable, Iterator

import pytest

from chat import hooks
from chat.cursors.actions import mark_read
from chat.hooks.events import EVENTS
from chat.models import Attendance, ChatSettings, Cursor, Grant, Mention, Message, Wake
from chat.serializers import NOTICE
from core.actor import Actor
from core.registry import digest_blocks
from core.text import byte_length
from tests import make
from tests.clock import Clock

pytestmark = pytest.mark.django_db
PROMPTS = ["UserPromptSubmit", "before_agent_start"]
TOOLS = ["PreToolUse", "tool_execution_end"]


@pytest.fixture
def lead(alice: make.Person, clock: Clock) -> Actor:
    return make.granted(alice)


def told(agent: Actor, event: str) -> str:
    return hooks.answer(agent.launch_id or 0, event)


def attended(agent: Actor) -> Attendance:
    return Attendance.objects.get(pk=agent.launch_id)


def test_t_44_a_session_that_starts_is_told_its_handle_its_mentions_and_the_tools(alice: make.Person, lead: Actor) -> None:
    make.message(alice, "@lead hello")
    text = told(lead, "SessionStart")
    assert "@lead" in text and "1 unread mention" in text and "chat_inbox" in text and byte_length(text) <= 512
    assert "hello" not in text


@pytest.mark.parametrize("event", PROMPTS)
def test_t_46_a_prompt_repeats_the_mentions_until_they_are_marked_read(alice: make.Person, lead: Actor, event: str) -> None:
    make.message(alice, "@lead hello")
    first = told(lead, event)
    assert first.startswith(NOTICE) and "hello" in first and told(lead, event) == first
    mark_read(lead, {"general": 1})
    assert told(lead, event) == ""


@pytest.mark.parametrize("event", PROMPTS)
def test_t_45_fifteen_mentions_are_told_in_2048_bytes_newest_first(alice: make.Person, lead: Actor, event: str) -> None:
    for place in range(15):
        make.message(alice, f"@lead number {place} " + "€" * 100)
    text = told(lead, event)
    assert byte_length(text) <= 2048 and "15 unread mentions" in text and "number 14" in text
    assert text.index("number 14") < text.index("number 13") and "number 4 " not in text


@pytest.mark.parametrize("event", TOOLS)
def test_t_47_an_agent_at_work_gets_a_notice_for_a_newer_mention_at_most_once_a_minute(
    alice: make.Person, lead: Actor, clock: Clock, event: str
) -> None:
    make.message(alice, "@lead secret words")
    text = told(lead, event)
    assert text.startswith(NOTICE)
    make.message(alice, "@lead newer")
    clock.forward(seconds=30)
    assert told(lead, event) == ""
    mark_read(lead, {"general": 2})
    clock.forward(seconds=31)
    assert told(lead, event) == ""
    make.message(alice, "@lead newest")
    assert told(lead, event) != ""


@pytest.mark.parametrize("event", TOOLS)
def test_t_47_after_a_minute_the_same_mentions_are_no_notice(alice: make.Person, lead: Actor, clock: Clock, event: str) -> None:
    make.message(alice, "@lead one")
    assert told(lead, event) != ""
    clock.forward(seconds=61)
    assert told(lead, event) == ""
    make.message(alice, "@lead two")
    assert told(lead, event) != ""


@pytest.mark.parametrize("event", TOOLS)
def test_t_48_a_notice_holds_no_text_of_a_message_and_512_bytes_at_most(alice: make.Person, lead: Actor, event: str) -> None:
    make.message(alice, "@lead secret words", session_name="secret name", topic="secret-topic")
    text = told(lead, event)
    assert "secret" not in text and byte_length(text) <= 512


def test_what_a_prompt_told_is_no_news_to_the_tools_after_it(alice: make.Person, lead: Actor) -> None:
    make.message(alice, "@lead one")
    told(lead, "UserPromptSubmit")
    assert told(lead, "PreToolUse") == ""
    make.message(alice, "@lead two")
    assert told(lead, "PreToolUse") != ""


def test_t_50_pis_events_are_answered_as_those_of_the_others(alice: make.Person, lead: Actor, clock: Clock) -> None:
    make.message(alice, "@lead hello")
    assert told(lead, "before_agent_start") == told(lead, "UserPromptSubmit") != ""
    make.message(alice, "@lead more")
    notice = told(lead, "tool_execution_end")
    clock.forward(seconds=61)
    Attendance.objects.update(told_seq=0)
    assert told(lead, "PreToolUse") == notice != ""


@pytest.mark.parametrize("event", ["Stop", "SessionEnd", "Notification", "agent_settled", "", "Unheard", "x" * 64])
def test_other_events_are_answered_with_nothing(alice: make.Person, lead: Actor, event: str) -> None:
    make.message(alice, "@lead hello")
    assert told(lead, event) == ""


@pytest.mark.parametrize("event", EVENTS)
def test_t_01_a_launch_without_a_grant_is_told_nothing_and_nothing_is_written(alice: make.Person, event: str) -> None:
    held = make.launch(alice)
    assert hooks.answer(held.pk, event) == ""
    assert not Attendance.objects.exists()


@pytest.mark.parametrize("change", ["revoked", "ended", "unknown", "connection"])
def test_who_may_not_chat_is_told_nothing(alice: make.Person, lead: Actor, clock: Clock, change: str) -> None:
    make.message(alice, "@lead hello")
    launch_id = lead.launch_id or 0
    if change == "revoked":
        Grant.objects.update(ended_at=clock.moment, end="revoked")
    elif change == "ended":
        make.Launch.objects.update(ended_at=clock.moment)
    elif change == "connection":
        make.Connection.objects.update(revoked_at=clock.moment)
    else:
        launch_id = 10**12
    assert hooks.answer(launch_id, "UserPromptSubmit") == ""


def test_the_owners_switch_silences_digests_and_the_status_is_still_heard(alice: make.Person, lead: Actor) -> None:
    make.message(alice, "@lead hello")
    ChatSettings.objects.update(allowed=False)
    assert told(lead, "SessionStart") == told(lead, "UserPromptSubmit") == told(lead, "PreToolUse") == ""
    assert attended(lead).status == "busy" and Mention.objects.get().offered_at is None


STATUS = [
    (["SessionStart"], "done"),
    (["SessionStart", "UserPromptSubmit"], "busy"),
    (["UserPromptSubmit", "PreToolUse"], "busy"),
    (["UserPromptSubmit", "Stop"], "done"),
    (["UserPromptSubmit", "Stop", "Notification"], "done"),
    (["UserPromptSubmit", "SessionStart"], "busy"),
    (["UserPromptSubmit", "SessionEnd"], ""),
    (["Stop", "SessionEnd", "SessionStart"], "done"),
    (["before_agent_start"], "busy"),
    (["before_agent_start", "tool_execution_end", "agent_settled"], "done"),
]


@pytest.mark.parametrize(("events", "status"), STATUS, ids=["-".join(events) for events, _ in STATUS])
def test_the_events_tell_whether_a_harness_works(lead: Actor, clock: Clock, events: list[str], status: str) -> None:
    for event in events:
        clock.forward(seconds=1)
        told(lead, event)
    assert attended(lead).status == status


def test_an_agent_is_idle_since_its_last_turn_ended(lead: Actor, clock: Clock) -> None:
    told(lead, "Stop")
    clock.forward(seconds=30)
    told(lead, "Stop")
    assert attended(lead).status_at == clock.moment


def test_a_harness_at_work_is_written_down_at_most_twice_a_minute(lead: Actor, clock: Clock) -> None:
    told(lead, "PreToolUse")
    first = attended(lead).hook_at
    clock.forward(seconds=29)
    told(lead, "PreToolUse")
    assert attended(lead).hook_at == first
    clock.forward(seconds=1)
    told(lead, "PreToolUse")
    assert attended(lead).hook_at == clock.moment


@pytest.mark.parametrize("event", [*PROMPTS, *TOOLS, "SessionStart"])
def test_what_a_digest_told_is_offered_once_and_not_read(alice: make.Person, lead: Actor, clock: Clock, event: str) -> None:
    make.message(alice, "@lead hello")
    told(lead, event)
    first = Mention.objects.get()
    assert (first.offered_by, first.offered_at, first.read_at) == ("digest", clock.moment, None)
    clock.forward(minutes=5)
    told(lead, "UserPromptSubmit")
    assert Mention.objects.get().offered_at == first.offered_at


def rows() -> list[object]:
    kept = [list(model.objects.order_by("pk").values()) for model in (Message, Cursor, Grant, Wake, ChatSettings, make.Launch)]
    return [*kept, list(Mention.objects.order_by("pk").values("seq", "target", "read_at", "reply_seq"))]


def test_t_54_a_hook_writes_only_its_status_and_what_was_offered(alice: make.Person, lead: Actor) -> None:
    make.message(alice, "@lead hello")
    before = rows()
    for event in EVENTS:
        told(lead, event)
    assert rows() == before


def test_t_52_an_error_in_the_chat_is_answered_with_nothing(lead: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    from chat.hooks import answering

    def broken(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(answering, "count_unread", broken)
    assert told(lead, "UserPromptSubmit") == ""


@pytest.fixture
def block() -> Iterator[Callable[[str], None]]:
    said: list[str] = []

    def add(text: str) -> None:
        said.append(text)

    digest_blocks.add("of a test", lambda actor, event: "".join(said) if event == "UserPromptSubmit" else "")
    yield add
    digest_blocks._items.pop("of a test")


def test_what_other_parts_tell_comes_after_the_chat_also_without_a_grant(
    alice: make.Person, lead: Actor, block: Callable[[str], None]
) -> None:
    block("from a push server")
    make.message(alice, "@lead hello")
    text = told(lead, "UserPromptSubmit")
    assert text.startswith(NOTICE) and text.endswith("\n\nfrom a push server")
    assert hooks.answer(make.launch(alice).pk, "UserPromptSubmit") == "from a push server"
    assert told(lead, "Stop") == ""


def test_charlies_mentions_are_not_told_to_alices_agent_of_the_same_handle(
    alice: make.Person, charlie: make.Person, lead: Actor
) -> None:
    make.granted(charlie)
    make.message(charlie, "@lead for charlie alone")
    assert told(lead, "UserPromptSubmit") == ""
