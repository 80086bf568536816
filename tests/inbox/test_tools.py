"""The tools over MCP, as agents call them."""

from typing import Any

import pytest

from chat.models import Cursor, Mention
from chat.serializers import NOTICE
from chat.serializers_inbox import InboxOut
from tests import make
from tests.asgi import sync
from tests.mcp.sdk import ERAS, Call, called, story

pytestmark = pytest.mark.django_db


def said(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


@pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)
def test_a_session_mentions_another_which_finds_it_in_its_inbox_and_marks_it_read(alice: make.Person, mode: str) -> None:
    async def told(call: Call) -> list[Any]:
        await call("chat_post", body="I build", session_name="builder")
        return [
            await call("chat_post", body="@builder @ghost is it green?", session_name="tester"),
            await call("chat_inbox", session_name="builder"),
            await call("chat_read", session_name="builder", mark_read=True),
            await call("chat_inbox", session_name="builder"),
            await call("chat_inbox", session_name="tester"),
        ]

    posted, first, read, second, mine = (result.structured_content for result in story(make.token(alice), told, mode=mode))
    assert (posted["mentioned"], posted["unknown"], posted["wakes"]) == (["builder"], ["ghost"], [])
    assert (first["name"], first["verified"], first["unread_mentions"]) == ("builder", False, 1)
    assert [each["mentions"] for each in read["messages"]] == [[], ["builder"]]
    assert second["unread_mentions"] == 0 and second["topics"] == [{"topic": "general", "unread": 0, "last_seq": 2}]
    assert mine["receipts"][0]["mentions"] == [{"name": "builder", "verified": False, "state": "read", "reply_seq": None}]
    assert first["notice"] == NOTICE


def test_every_result_begins_with_the_notice(alice: make.Person) -> None:
    async def told(call: Call) -> list[Any]:
        posted = await call("chat_post", body="x", session_name="a")
        read = [await call("chat_read"), await call("chat_read", topic="general")]
        return [posted, await call("chat_inbox", session_name="a"), *read]

    assert all(result.content[0].text == NOTICE and not result.is_error for result in story(make.token(alice), told))


def test_t_75_mark_read_with_a_thread_is_refused_and_moves_no_cursor(alice: make.Person) -> None:
    root = make.message(alice, session_name="other")

    async def told(call: Call) -> Any:
        return await call("chat_read", thread=root, mark_read=True, session_name="me")

    result = story(make.token(alice), told)
    assert result.is_error and "thread" in said(result) and not Cursor.objects.exists()


WRONG = [
    ("chat_inbox", {}, "session_name is needed"),
    ("chat_post", {"body": "x"}, "session_name is needed"),
    ("chat_read", {"mark_read": True}, "session_name is needed"),
    ("chat_read", {"limit": 51}, "limit"),
    ("chat_read", {"limit": 0}, "limit"),
    ("chat_read", {"mark_read": "perhaps"}, "mark_read"),
    ("chat_read", {"thread": 9}, "no thread of #9"),
    ("chat_read", {"topic": "A"}, "a-z 0-9"),
    ("chat_inbox", {"session_name": "maintainer"}, "maintainer"),
    ("chat_inbox", {"session_name": "a", "handle": "lead"}, "does not take an argument"),
    ("chat_post", {"body": "x", "session_name": "a", "thread": True}, "thread"),
    ("chat_post", {"body": "x", "session_name": "a", "mentions": ["lead"]}, "does not take an argument"),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), WRONG, ids=[f"{name}-{text[:20]}" for name, _, text in WRONG])
def test_t_34_a_wrong_call_is_a_tool_error_with_one_sentence(
    alice: make.Person, name: str, arguments: dict[str, Any], expected: str
) -> None:
    result = called(make.token(alice), name, arguments)
    assert result.is_error and expected in said(result) and "\n" not in said(result)


@pytest.mark.parametrize("tool", ["chat_read", "chat_wait"])
def test_a_mention_that_a_tool_answered_is_offered_and_to_nobody_who_did_not_ask_for_it(alice: make.Person, tool: str) -> None:
    make.message(alice, session_name="builder")
    make.message(alice, "@builder hello")
    asked = {"after": 0} | ({"timeout_seconds": 0} if tool == "chat_wait" else {})

    async def told(call: Call) -> list[str]:
        await call(tool, **asked)
        await call(tool, session_name="another", **asked)
        before = sync(lambda: Mention.objects.get().offered_by)
        await call(tool, session_name="builder", **asked)
        return [before, sync(lambda: Mention.objects.get().offered_by)]

    assert story(make.token(alice), told) == ["", "tool"]


def test_an_inbox_full_of_the_longest_text_stays_small_enough_for_every_harness(alice: make.Person, settings: object) -> None:
    settings.CHAT_POSTS_PER_MINUTE = 0  # type: ignore[attr-defined]
    peer = make.agent(alice)
    make.message(alice, by=peer, session_name="builder")
    for place in range(60):
        topic = f"{place:02d}-" + "t" * 97
        make.message(alice, "@builder " + '"€' * 400, by=peer, topic=topic, session_name="é" * 64)
    names = " ".join(f"@n{place}" for place in range(20))
    for place in range(20):
        make.message(alice, by=peer, session_name=f"n{place}")
    for _ in range(6):
        make.message(alice, names, by=peer, session_name="builder")
    token = make.token(alice, connection_=make.Connection.objects.get(pk=peer.connection_id))
    result = called(token, "chat_inbox", {"session_name": "builder"})
    assert len(result.content[1].text.encode()) < 12_000
    shown = InboxOut.model_validate(result.structured_content)
    assert (shown.unread_mentions, shown.topics_in_all) == (60, 61)


def test_a_page_cut_to_what_a_harness_shows_marks_only_what_was_answered(alice: make.Person) -> None:
    for place in range(5):
        make.message(alice, f"{place} " + "word " * 800, session_name="other")

    async def told(call: Call) -> Any:
        return await call("chat_read", session_name="me", mark_read=True, after=0)

    page = story(make.token(alice), told).structured_content
    assert page["has_more"] and len(page["messages"]) < 5
    assert Cursor.objects.get().seq == page["last_seq"] == page["messages"][-1]["seq"]


def test_replay_41_a_wait_whose_time_is_up_answers_a_cursor_to_go_on_from(alice: make.Person) -> None:
    make.message(alice)
    result = called(make.token(alice), "chat_wait", {"after": 1, "timeout_seconds": 0}).structured_content
    assert (result["messages"], result["last_seq"]) == ([], 1)


def test_replay_42_what_a_wait_answered_is_answered_again_to_the_same_cursor(alice: make.Person) -> None:
    make.message(alice)

    async def told(call: Call) -> list[Any]:
        return [(await call("chat_wait", after=0, timeout_seconds=0, session_name="me")).structured_content for _ in range(2)]

    first, again = story(make.token(alice), told)
    assert first == again and len(first["messages"]) == 1


def test_replay_52_the_calls_of_the_first_version_still_work(alice: make.Person) -> None:
    async def told(call: Call) -> list[bool]:
        first = await call("chat_post", body="x", session_name="a", topic="docs", client_key="k")
        return [
            first.is_error,
            (await call("chat_post", body="x", session_name="a", reply_to=1)).is_error,
            (await call("chat_read", after=0, limit=5, exclude_topics=["x"], exclude_sessions=["b"], session_name="a")).is_error,
            (await call("chat_wait", after=0, timeout_seconds=0, exclude_topics=["x"], session_name="a")).is_error,
        ]

    assert not any(story(make.token(alice), told))
