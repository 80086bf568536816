import json
from typing import Any

import pytest

from chat.models import Message
from chat.serializers import NOTICE
from tests import make
from tests.asgi import hub, run, sync, until
from tests.mcp.sdk import ERAS, called, connect

both_eras = pytest.mark.parametrize("mode", ERAS.values(), ids=ERAS)


def text(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


@both_eras
def test_an_agent_posts_and_another_reads_it(alice: make.Person, mode: str) -> None:
    one, two = make.token(alice, name="one"), make.token(alice, name="two")

    async def story() -> tuple[Any, Any]:
        async with hub() as app, connect(app, one, mode=mode) as first, connect(app, two, mode=mode) as second:
            posted = await first.call_tool("chat_post", {"body": "hello", "session_name": "a"})
            return posted, await second.call_tool("chat_read", {})

    posted, read = run(story())
    assert posted.structured_content["seq"] == 1
    assert [(each["seq"], each["body"], each["session_name"]) for each in read.structured_content["messages"]] == [
        (1, "hello", "a")
    ]


@both_eras
def test_every_result_begins_with_the_notice_and_repeats_the_structure_as_text(alice: make.Person, mode: str) -> None:
    result = called(make.token(alice), "chat_read", {}, mode=mode)
    assert result.content[0].text == NOTICE
    assert json.loads(result.content[1].text) == result.structured_content
    assert result.structured_content["notice"] == NOTICE


@both_eras
def test_a_wait_ends_with_the_message_of_another_agent(alice: make.Person, mode: str, transactional_db: None) -> None:
    import asyncio

    token = make.token(alice)

    async def story() -> Any:
        async with hub() as app, connect(app, token, mode=mode) as session:
            waiting = asyncio.ensure_future(session.call_tool("chat_wait", {"after": 0, "timeout_seconds": 10}))
            await until(lambda: _somebody_waits())
            sync(lambda: make.message(alice, "at last"))
            return await waiting

    assert run(story()).structured_content["messages"][0]["body"] == "at last"


def _somebody_waits() -> bool:
    from core import news

    return bool(news.board.awaited("chat"))


@both_eras
def test_tools_are_listed_by_what_the_token_may_do(alice: make.Person, mode: str) -> None:
    token = make.token(alice, scopes="chat.read")

    async def story() -> Any:
        async with hub() as app, connect(app, token, mode=mode) as session:
            return await session.list_tools(), await session.call_tool("chat_post", {"body": "x", "session_name": "a"})

    listed, refused = run(story())
    assert [tool.name for tool in listed.tools] == ["chat_read", "chat_inbox", "chat_wait"]
    assert refused.is_error and "chat.post" in text(refused)


BAD = [
    ("chat_read", {"topics": ["a"]}, "does not take an argument of that name; it takes after, limit"),
    ("chat_wait", {"after": 0, "include_topics": ["a"]}, "does not take an argument"),
    ("chat_wait", {}, "needs the argument after"),
    ("chat_wait", {"after": 0, "timeout_seconds": 241}, "timeout_seconds"),
    ("chat_wait", {"after": 0, "timeout_seconds": True}, "timeout_seconds"),
    ("chat_read", {"after": -1}, "after"),
    ("chat_read", {"after": 2**64}, "after"),
    ("chat_read", {"after": "soon"}, "after"),
    ("chat_read", {"after": 7}, "the latest message is #0"),
    ("chat_read", {"limit": 51}, "limit"),
    ("chat_read", {"exclude_topics": ["Docs"]}, "a-z 0-9"),
    ("chat_post", {"body": "", "session_name": "a"}, "empty"),
    ("chat_post", {"body": "x" * 8193, "session_name": "a"}, "8192"),
    ("chat_post", {"body": "x\u0000", "session_name": "a"}, "U+0000"),
    ("chat_post", {"body": "x", "session_name": "maintainer"}, "maintainer"),
    ("chat_post", {"body": "x", "session_name": "a", "topic": ""}, "a-z 0-9"),
    ("chat_post", {"body": "x", "session_name": "a", "reply_to": 0}, "reply_to"),
    ("chat_post", {"body": "x", "session_name": "a", "author": "lead"}, "does not take an argument"),
    ("chat_settings", {}, "chat_post, chat_read, chat_inbox, chat_wait"),
]


@pytest.mark.parametrize(("name", "arguments", "said"), BAD, ids=[f"{name}-{said[:24]}" for name, _, said in BAD])
def test_w_24_w_35_a_wrong_call_is_a_tool_error_with_one_sentence(
    alice: make.Person, name: str, arguments: dict[str, Any], said: str
) -> None:
    result = called(make.token(alice), name, arguments)
    assert result.is_error and said in text(result)
    assert "Traceback" not in text(result) and "\n" not in text(result)
    assert Message.objects.count() == 0


def test_an_exception_inside_a_tool_shows_a_log_id_and_nothing_of_itself(
    alice: make.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chat import actions

    def broken(*_: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(actions, "post", broken)
    result = called(make.token(alice), "chat_post", {"body": "x", "session_name": "a"})
    assert result.is_error and text(result).startswith("internal_error: ") and "secret detail" not in text(result)


def test_the_list_of_tools_is_small_and_says_what_readers_must_know() -> None:
    from core.tools import tools
    from project.mcp.server import describe

    listed = [describe(tool).model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]
    assert len(json.dumps(listed, separators=(",", ":"))) < 16_000
    assert all(len(tool["description"].encode()) < 2048 and tool["outputSchema"]["type"] == "object" for tool in listed)
    assert all(tool["inputSchema"]["additionalProperties"] is False for tool in listed)
    assert all(
        {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} <= tool["annotations"].keys() for tool in listed
    )
    said = {tool["name"]: tool["description"] for tool in listed}
    assert "last_seq" in said["chat_post"] and "has_more" in said["chat_wait"] and "commit" in said["chat_post"]


def test_charlies_agent_neither_reads_nor_answers_alices_message(alice: make.Person, charlie: make.Person) -> None:
    make.message(alice)
    token = make.token(charlie)

    async def story() -> Any:
        async with hub() as app, connect(app, token) as session:
            return [
                await session.call_tool("chat_read", {}),
                await session.call_tool("chat_post", {"body": "x", "session_name": "c", "reply_to": 1}),
            ]

    read, refused = run(story())
    assert read.structured_content["messages"] == [] and read.structured_content["latest_seq"] == 0
    assert refused.is_error


@both_eras
@pytest.mark.parametrize("tool", ["chat_read", "chat_wait"])
def test_an_answer_is_small_enough_for_every_harness_and_reading_on_brings_the_rest(
    alice: make.Person, mode: str, tool: str
) -> None:
    """Codex cuts the middle out of a longer one without a word, Claude Code sets it aside in a file: seen with both."""
    token = make.token(alice)
    for number in range(5):
        make.message(alice, f"{number} " + "word " * 800)

    async def story() -> list[Any]:
        answers, after, more = [], 0, True
        async with hub() as app, connect(app, token, mode=mode) as session:
            while more:
                answers.append(await session.call_tool(tool, {"after": after}))
                after, more = (answers[-1].structured_content[name] for name in ("last_seq", "has_more"))
        return answers

    answers = run(story())
    assert all(len(answer.content[1].text.encode()) < 12_000 for answer in answers)
    messages = [each for answer in answers for each in answer.structured_content["messages"]]
    assert [each["body"][0] for each in messages] == ["0", "1", "2", "3", "4"]
