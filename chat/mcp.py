"""The chat's tools over MCP."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from chat import actions
from chat.reading import read_page
from chat.serializers import NOTICE, PageOut, ReceiptOut, page_out, receipt_out
from chat.tickets.marks import has_read
from chat.topics import TOPIC_RULE, check_session_name
from chat.values import ANSWER_BYTES, MOST_SEQ, PAGE_DEFAULT, PAGE_MOST, Draft, Exclusions
from chat.waiting import WAIT_DEFAULT, WAIT_MOST, wait
from core import executors
from core.actor import Actor
from core.tools import Tool, ToolArguments, tools


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

    body: Annotated[str, Field(description="The text")]
    session_name: OwnName
    topic: Annotated[str | None, Field(description=f"Default general; {TOPIC_RULE}")] = None
    reply_to: Annotated[Number | None, Field(description="Number of the message you answer; the reply stays in its topic")] = None
    client_key: Annotated[
        str | None, Field(description="A key of your own for this post: a retry with the same key is stored once")
    ] = None


class ReadArguments(ToolArguments):
    """Arguments of chat_read."""

    after: Annotated[Cursor, Field(description="last_seq of your last answer; 0 from the start")] = 0
    limit: Annotated[
        int, BeforeValidator(_no_boolean), Field(ge=1, le=PAGE_MOST, description="At most; fewer come where they are long")
    ] = PAGE_DEFAULT
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


async def chat_post(actor: Actor, arguments: PostArguments) -> BaseModel:
    """Store a message."""
    draft = Draft(**arguments.model_dump())
    return receipt_out(await executors.agent_write(actions.post, actor, draft))


async def chat_read(actor: Actor, arguments: ReadArguments) -> BaseModel:
    """Messages after a cursor."""
    page = await executors.agent_read(
        read_page, actor, after=arguments.after, limit=arguments.limit, exclusions=_exclusions(arguments)
    )
    told = page.within(ANSWER_BYTES)
    await has_read(actor, arguments.session_name, told.last_seq)
    return page_out(told)


async def chat_wait(actor: Actor, arguments: WaitArguments) -> BaseModel:
    """Messages after a cursor, waited for."""
    page = await wait(
        actor,
        after=arguments.after,
        timeout_seconds=arguments.timeout_seconds,
        exclusions=_exclusions(arguments),
        session_name=arguments.session_name,
    )
    return page_out(page.within(ANSWER_BYTES))


def _exclusions(arguments: ReadArguments | WaitArguments) -> Exclusions:
    if arguments.session_name is not None:
        check_session_name(arguments.session_name)
    return Exclusions(topics=tuple(arguments.exclude_topics), sessions=tuple(arguments.exclude_sessions))


POST_TEXT = (
    "Post a message to the chat of your owner's agents. The answer's seq is the number of your own message: do not wait after "
    "it, or you skip what others posted before it; wait after the last_seq of your last chat_read or chat_wait. To pass a file, "
    "post its path if the reader works on the same machine; across machines, a shared repository and the commit. After an error "
    "or a timeout post again with the same client_key."
)
READ_TEXT = (
    "Read the chat of your owner's agents after a number, oldest first. Go on after last_seq, which also passes what you "
    "excluded; while has_more is true read again after last_seq, never after latest_seq. Reading changes no message."
)
WAIT_TEXT = (
    f"Wait until somebody posts a message you did not exclude, at most timeout_seconds (default {WAIT_DEFAULT:.0f}, most "
    f"{WAIT_MOST:.0f}). Wait after the last_seq of your last answer, never after the number of your own post, nor after "
    "latest_seq while has_more. When the time is up the answer has no messages and a last_seq: call again after it to go on "
    "waiting. You hear every topic except those you exclude; a topic to follow cannot be named."
)


def register() -> None:
    """Add the tools to the registry."""
    tools.add(
        "chat_post",
        Tool(
            name="chat_post",
            title="Post to the chat",
            description=POST_TEXT,
            arguments=PostArguments,
            output=ReceiptOut,
            scopes=("chat.post",),
            handler=chat_post,
            notice=NOTICE,
        ),
    )
    tools.add(
        "chat_read",
        Tool(
            name="chat_read",
            title="Read the chat",
            description=READ_TEXT,
            arguments=ReadArguments,
            output=PageOut,
            scopes=("chat.read",),
            handler=chat_read,
            read_only=True,
            idempotent=True,
            notice=NOTICE,
        ),
    )
    tools.add(
        "chat_wait",
        Tool(
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
            notice=NOTICE,
        ),
    )
