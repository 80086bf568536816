"""The model runner: the hub asks a model, runs the tools it calls, and asks its owner where a tool is not on the whitelist."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import httpx2
import openai
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import Tool
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage, UsageLimits

from core.addresses import check_outbound
from core.errors import DomainError, Invalid
from core.sealing import unseal
from sessions_app.runners.asides import MOST_IN_A_ROW, Answering, aside_in
from sessions_app.runners.model.driving import Driven, Interrupted, Say
from sessions_app.runners.model.faults import MOST_REQUESTS, sentence
from sessions_app.runners.model.hub_tools import HubTools
from sessions_app.runners.model.pinned import CheckedTransport
from sessions_app.runners.model.turning import arguments_of, as_entries, as_history
from sessions_app.runners.toolsets import OfferedTool, offered_to
from sessions_app.runners.whitelist import matches
from sessions_app.runners.work import AskedTool, Pending, Work
from sessions_app.values import Outcome

TRIES = 2
"""How often a request that failed for now is repeated by the provider's library."""
ANSWER_SECONDS = 600.0
NO_PROVIDER = "This agent has no provider; choose one on its page."
NO_MODEL = "No model is chosen; choose one for this agent or in the session settings."
NO_KEY = "The provider's key cannot be opened with the hub's key file; give it again."
DENIED = "The owner did not allow this call."


class ModelRunner:
    """See `sessions_app.runners.registry.Runner`."""

    def execute(self, work: Work) -> Outcome | Pending:
        """Converse with the model until it has answered, or a tool needs the owner's leave."""
        conversation = Conversation(work)
        try:
            return Driven(conversation.hold).until(work.still, work.say)
        except Interrupted:
            return work.interrupted(conversation.so_far("stopped"))
        except Exception as error:
            said = sentence(error, work.model)
            if said is None:
                raise
            return replace(conversation.so_far("error"), error=said)


class Turn(NamedTuple):
    """What the model is given: what was said before, what the owner decided of calls it asked for, and the message."""

    history: list[ModelMessage]
    decided: DeferredToolResults | None
    prompt: str | None


class Conversation:
    """One attempt at a run; made in the worker's thread, held on an event loop without a database."""

    def __init__(self, work: Work) -> None:
        provider = work.agent.provider
        if provider is None:
            raise Invalid(NO_PROVIDER)
        if not work.model:
            raise Invalid(NO_MODEL)
        check_outbound(provider.base_url)
        self._work = work
        self._base_url = provider.base_url
        self._key = _opened(provider.key_encrypted)
        offered = offered_to(work.run)
        self._others = [each for each in offered if not matches(each.name, work.denied_tools)]
        self._answering = Answering(())
        self._usage = RunUsage()
        self._input = self._output = 0
        self._context: int | None = None

    async def hold(self, say: Say) -> Outcome | Pending:
        """Ask, run tools, ask again."""
        hub = HubTools(self._work.address, self._work.token)
        transport = CheckedTransport(trust_env=False)
        async with hub.http, httpx2.AsyncClient(transport=transport, timeout=ANSWER_SECONDS, follow_redirects=False) as http:
            offered = await hub.offered() if self._work.tools else []
            self._answering = Answering(each for each in offered if self._is_free(each))
            hubs = [_plain(each, asks=not self._is_free(each)) for each in offered]
            tools = [*hubs, *(_plain(each) for each in self._answering.tools()), *self._asked_first()]
            client = openai.AsyncOpenAI(base_url=self._base_url, api_key=self._key or "none", http_client=http, max_retries=TRIES)
            model = OpenAIChatModel(self._work.model, provider=OpenAIProvider(openai_client=client))
            agent = Agent(
                model,
                output_type=[str, DeferredToolRequests],
                instructions=self._instructions(),
                toolsets=[FunctionToolset(tools)],
            )
            return await self._converse(agent, say)

    def _instructions(self) -> str:
        """What stays the same comes first, so that a provider's cache holds it. One message: not every model takes two."""
        told = (self._work.agent.instructions, self._work.run.context, self._work.told)
        return "\n\n".join(part.strip() for part in told if part.strip())

    def _is_free(self, hubs: OfferedTool) -> bool:
        """Whether a tool of the hub needs nobody's leave: each, unless the run has a whitelist of its own without it."""
        return self._work.run.tools is None or matches(hubs.name, self._work.run.tools)

    def _asked_first(self) -> Sequence[Tool[None]]:
        listed = self._work.wanted_tools
        return [_plain(each, asks=not matches(each.name, listed)) for each in self._others]

    async def _converse(self, agent: "Agent[None, Any]", say: Say) -> Outcome | Pending:
        turn = self._beginning()
        for left in range(MOST_IN_A_ROW, -1, -1):
            result = await self._turn(agent, turn, say)
            if isinstance(result.output, DeferredToolRequests):
                return self._pending(result.output, result.all_messages())
            reply = str(result.output).replace("\0", "")
            aside = aside_in(reply)
            if aside is None or not left:
                break
            turn = Turn(result.all_messages(), None, await self._aside(reply, *aside, say))
        return replace(self.so_far("ok"), reply=reply)

    async def _turn(self, agent: "Agent[None, Any]", turn: Turn, say: Say) -> AgentRunResult[Any]:
        limits = UsageLimits(request_limit=MOST_REQUESTS)
        told = len(turn.history)
        async with agent.iter(
            turn.prompt,
            message_history=turn.history,
            deferred_tool_results=turn.decided,
            usage=self._usage,
            usage_limits=limits,
        ) as running:
            async for _node in running:
                told = self._tell(running.all_messages(), told, say)
                self._count(running.usage)
            result = running.result
        assert result is not None
        self._usage = result.usage
        self._tell(result.all_messages(), told, say)
        return result

    async def _aside(self, reply: str, name: str, words: str, say: Say) -> str:
        answer = await self._answering.answer(name, words)
        say({"role": "assistant", "content": reply.strip()})
        say({"role": "tool", "toolName": name, "content": answer})
        return answer

    def _beginning(self) -> Turn:
        """From the start, or from where the owner was asked."""
        work = self._work
        if not work.run.progress:
            return Turn(as_history(work.history), None, work.run.message)
        held = ModelMessagesTypeAdapter.validate_python(work.run.progress["messages"])
        approvals = {call: True if allowed else ToolDenied(DENIED) for call, allowed in work.decisions.items()}
        waiting = set(work.run.progress["calls"])
        decided = DeferredToolResults(approvals={call: said for call, said in approvals.items() if call in waiting})
        return Turn(held, decided, None)

    def _tell(self, messages: Sequence[ModelMessage], told: int, say: Say) -> int:
        for message in messages[told:]:
            for entry in as_entries(message):
                say(entry)
        return len(messages)

    def _count(self, usage: RunUsage) -> None:
        latest = usage.input_tokens - self._input + usage.output_tokens - self._output
        self._context = latest or self._context
        self._input, self._output = usage.input_tokens, usage.output_tokens

    def _pending(self, asked: DeferredToolRequests, messages: Sequence[ModelMessage]) -> Pending:
        calls = tuple(
            AskedTool(call_id=part.tool_call_id[:128], tool=part.tool_name[:128], arguments=arguments_of(part))
            for part in asked.approvals
        )
        kept = ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")
        progress = {"messages": kept, "calls": [each.call_id for each in calls]}
        return Pending(asked=calls, progress=progress, input_tokens=self._input, output_tokens=self._output)

    def so_far(self, state: Any) -> Outcome:
        """What was counted until now."""
        return Outcome(
            state=state,
            input_tokens=self._input,
            output_tokens=self._output,
            context_tokens=self._context,
            model=self._work.model,
        )


def _plain(offered: OfferedTool, *, asks: bool = False) -> "Tool[None]":
    async def call(**arguments: Any) -> str:
        try:
            return await offered.call(arguments)
        except DomainError as refusal:
            raise ToolFailed(refusal.detail) from None

    made: Tool[None] = Tool.from_schema(call, offered.name, offered.description, offered.schema)
    made.requires_approval = asks
    return made


def _opened(sealed: bytes | memoryview | None) -> str:
    if not sealed:
        return ""
    try:
        return unseal(sealed)
    except ValueError:
        raise Invalid(NO_KEY) from None
