"""The chat's tools over MCP."""

from functools import partial
from typing import Annotated, Any

import structlog
from pydantic import BaseModel, BeforeValidator, Field

from chat import actions
from chat.cursors.actions import mark_read
from chat.cursors.marks import has_offered, has_shown
from chat.grants.gate import GATE
from chat.inbox import look
from chat.readers import name_is_needed
from chat.reading_chosen import Wanted, ends, read
from chat.serializers import NOTICE, PageOut, ReceiptOut, page_out, receipt_out
from chat.serializers_inbox import InboxOut, inbox_out
from chat.tickets.marks import has_read
from chat.topics import TOPIC_RULE, check_session_name
from chat.values import ANSWER_BYTES, MOST_SEQ, PAGE_DEFAULT, PAGE_MOST, Draft, Exclusions
from chat.waiting import WAIT_DEFAULT, WAIT_MOST, wait
from core import executors
from core.actor import Actor
from core.errors import Invalid
from core.registry import inbox_blocks
from core.tools import Tool, ToolArguments, tools

log = structlog.get_logger(__name__)


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number is needed")  # pydantic turns it into a sentence
    return value


Cursor = Annotated[int, BeforeValidator(_no_boolean), Field(ge=0, le=MOST_SEQ)]
Number = Annotated[int, BeforeValidator(_no_boolean), Field(ge=1, le=MOST_SEQ)]
Seconds = Annotated[float, BeforeValidator(_no_boolean), Field(ge=0, le=WAIT_MOST, allow_inf_nan=False)]
Topics = Annotated[list[str], Field(description="Topics to leave out, exact")]
Sessions = Annotated[list[str], Field(description="Session names to leave out, exact; add your own to skip your posts")]
OwnName = Annotated[str, Field(description="Your session's name: 1 to 64 printable characters, the same in every call")]


class PostArguments(ToolArguments):
    """Arguments of chat_post."""

    body: Annotated[str, Field(description="The text; @name tells somebody")]
    session_name: OwnName | None = None
    topic: Annotated[str | None, Field(description=f"Default general; {TOPIC_RULE}")] = None
    reply_to: Annotated[Number | None, Field(description="Number of the message you answer; the reply stays in its topic")] = None
    thread: Annotated[
        Number | None, Field(description="Number of the message that opened the thread you post in; the post stays in its topic")
    ] = None
    client_key: Annotated[
        str | None, Field(description="A key of your own for this post: a retry with the same key is stored once")
    ] = None


class ReadArguments(ToolArguments):
    """Arguments of chat_read."""

    after: Annotated[
        Cursor | None,
        Field(description="last_seq of your last answer; 0 from the start; none: what is unread, if you have a verified handle"),
    ] = None
    limit: Annotated[
        int, BeforeValidator(_no_boolean), Field(ge=1, le=PAGE_MOST, description="At most; fewer come where they are long")
    ] = PAGE_DEFAULT
    topic: Annotated[str | None, Field(description="This topic alone")] = None
    thread: Annotated[Number | None, Field(description="The thread that this message opened, alone")] = None
    mark_read: Annotated[bool, Field(description="Mark what is answered as read by you; not with thread")] = False
    exclude_topics: Topics = []
    exclude_sessions: Sessions = []
    session_name: OwnName | None = None


class WaitArguments(ToolArguments):
    """Arguments of chat_wait."""

    after: Annotated[Cursor, Field(description="last_seq of your last answer")]
    timeout_seconds: Annotated[Seconds, Field(description="How long to hold the call")] = WAIT_DEFAULT
    exclude_topics: Topics = []
    exclude_sessions: Sessions = []
    session_name: OwnName | None = None


class InboxArguments(ToolArguments):
    """Arguments of chat_inbox."""

    session_name: OwnName | None = None


async def chat_post(actor: Actor, arguments: PostArguments) -> BaseModel:
    """Store a message."""
    if arguments.session_name is None and actor.launch_id is None:
        raise name_is_needed()
    draft = Draft(**arguments.model_dump() | {"session_name": arguments.session_name or ""})
    return receipt_out(await executors.agent_write(actions.post, actor, draft))


async def chat_read(actor: Actor, arguments: ReadArguments) -> BaseModel:
    """Messages after a cursor, or unread ones."""
    if arguments.mark_read and arguments.thread is not None:
        raise Invalid("mark_read goes by topics and cannot be combined with thread; leave one of them out.")
    wanted = Wanted(
        after=arguments.after,
        limit=arguments.limit,
        topic=arguments.topic,
        thread=arguments.thread,
        exclusions=_exclusions(arguments),
        session_name=arguments.session_name,
    )
    page = (await executors.agent_read(read, actor, wanted)).within(ANSWER_BYTES)
    if arguments.mark_read:
        await executors.agent_write(mark_read, actor, ends(page), session_name=arguments.session_name)
    if arguments.topic is None and arguments.thread is None:
        await has_read(actor, arguments.session_name, page.last_seq)
    await has_shown(actor, page, arguments.session_name)
    return page_out(page)


async def chat_inbox(actor: Actor, arguments: InboxArguments) -> BaseModel:
    """What waits for the caller."""
    found = await executors.agent_read(look, actor, session_name=arguments.session_name)
    if found.unread_mentions:
        await has_offered(actor, arguments.session_name)
    return inbox_out(found, await _beside(actor, arguments.session_name))


async def _beside(actor: Actor, session_name: str | None) -> list[str]:
    """What other parts of the hub have for the caller; a part that fails costs its own lines alone."""
    found: list[str] = []
    for name, block in inbox_blocks.items():
        try:
            lines = await executors.agent_read(block.look, actor, session_name)
            if lines:
                await executors.agent_write(block.note, actor, session_name)
        except Exception:
            log.warning("inbox_block_failed", block=name, exc_info=True)
        else:
            found += lines
    return found


async def chat_wait(actor: Actor, arguments: WaitArguments) -> BaseModel:
    """Messages after a cursor, waited for."""
    page = await wait(
        actor,
        after=arguments.after,
        timeout_seconds=arguments.timeout_seconds,
        exclusions=_exclusions(arguments),
        session_name=arguments.session_name,
    )
    told = page.within(ANSWER_BYTES)
    await has_shown(actor, told, arguments.session_name)
    return page_out(told)


def _exclusions(arguments: ReadArguments | WaitArguments) -> Exclusions:
    if arguments.session_name is not None:
        check_session_name(arguments.session_name)
    return Exclusions(topics=tuple(arguments.exclude_topics), sessions=tuple(arguments.exclude_sessions))


POST_TEXT = (
    "Post a message to the chat of your owner's agents. The answer's seq is the number of your own message: do not wait after "
    "it, or you skip what others posted before it; wait after the last_seq of your last chat_read or chat_wait. @name tells an "
    "agent with that verified handle or session name, @maintainer the owner; the answer says who is mentioned, and which names "
    "are nobody's. Mention only whom you need: an answer is not owed for every message. To pass a file, post its path if the "
    "reader works on the same machine; across machines, a shared repository and the commit. After an error or a timeout post "
    "again with the same client_key."
)
READ_TEXT = (
    "Read the chat of your owner's agents, oldest first: after a number, or what is unread to a verified handle. Go on after "
    "last_seq, which also passes what you excluded; while has_more is true read again after last_seq, never after latest_seq. "
    "With topic or thread last_seq goes on there alone: do not wait after it. Reading changes no message; without mark_read the "
    "same messages stay unread and the same call answers the same."
)
INBOX_TEXT = (
    "What waits for you: who you are here, topics with how many messages are unread in each, your newest unread mentions with "
    "their beginnings and how many there are in all, and what became of your own mentions: offered means that its agent was "
    "told, read that it marked the message, replied that it answered; more is not known. Mentions stay unread until chat_read "
    "with mark_read."
)
WAIT_TEXT = (
    f"Wait until somebody posts a message you did not exclude, at most timeout_seconds (default {WAIT_DEFAULT:.0f}, most "
    f"{WAIT_MOST:.0f}). Wait after the last_seq of your last answer, never after the number of your own post, nor after "
    "latest_seq while has_more. When the time is up the answer has no messages and a last_seq: call again after it to go on "
    "waiting. You hear every topic except those you exclude; a topic to follow cannot be named."
)


def register() -> None:
    """Add the tools to the registry."""
    tool = partial(Tool, notice=NOTICE, gate=GATE)
    for each in (
        tool(
            name="chat_post",
            title="Post to the chat",
            description=POST_TEXT,
            arguments=PostArguments,
            output=ReceiptOut,
            scopes=("chat.post",),
            handler=chat_post,
            naming=("session_name",),
        ),
        tool(
            name="chat_read",
            title="Read the chat",
            description=READ_TEXT,
            arguments=ReadArguments,
            output=PageOut,
            scopes=("chat.read",),
            handler=chat_read,
            read_only=True,
            idempotent=True,
        ),
        tool(
            name="chat_inbox",
            title="See what waits for you",
            description=INBOX_TEXT,
            arguments=InboxArguments,
            output=InboxOut,
            scopes=("chat.read",),
            handler=chat_inbox,
            naming=("session_name",),
            read_only=True,
            idempotent=True,
        ),
        tool(
            name="chat_wait",
            title="Wait for chat messages",
            description=WAIT_TEXT,
            arguments=WaitArguments,
            output=PageOut,
            scopes=("chat.read",),
            handler=chat_wait,
            read_only=True,
            idempotent=True,
            holds=True,
        ),
    ):
        tools.add(each.name, each)
