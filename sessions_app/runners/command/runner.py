"""The command runner: a program of this machine executes the run."""

import asyncio
import codecs
import shutil
import time
from dataclasses import replace
from pathlib import Path

from core.errors import DomainError, Invalid
from core.text import FORBIDDEN, one_line
from sessions_app.redaction import redact
from sessions_app.runners.actions import require_commands
from sessions_app.runners.asides import MOST_IN_A_ROW, Answering, aside_in
from sessions_app.runners.command import presets
from sessions_app.runners.command.presets import PRESETS, TOKEN_VARIABLE, Asked, Command
from sessions_app.runners.command.process import NOT_STARTED, Ended, run
from sessions_app.runners.command.room import CONFIG, environment, private_folder, write_private
from sessions_app.runners.command.streams import STREAMS, Stream, Told
from sessions_app.runners.command.words import filled, prompt, takes_message
from sessions_app.runners.model.hub_tools import HubTools
from sessions_app.runners.work import Work
from sessions_app.values import Outcome

STREAM_SECONDS = 2.0
KILLED = 137
SAID_LENGTH = 200
BINARY = "The program wrote what is no text; have it print UTF-8."


class CommandRunner:
    """See `sessions_app.runners.registry.Runner`."""

    def execute(self, work: Work) -> Outcome:
        """Run the agent's program on the message; its output is the reply. Where that is an aside, once more on its answer."""
        require_commands(work.run.account_id)
        outcome = self._once(work)
        for _ in range(MOST_IN_A_ROW):
            aside = aside_in(outcome.reply)
            if aside is None or not work.still():
                break
            work = _answered(work, outcome.reply.strip(), *aside)
            outcome = _with(outcome, self._once(work))
        return outcome

    def _once(self, work: Work) -> Outcome:
        with private_folder() as folder:
            config = folder / CONFIG
            command = _command(work, str(config))
            write_private(folder / (command.config_at or CONFIG), presets.servers(work.address, work.token))
            text = _prompt(work)
            argv, given = _words(work, command, text, str(config))
            listening = Listening(work, command.stream)
            ended = run(
                argv,
                environment=environment(
                    work.agent.environment, {**command.environment, TOKEN_VARIABLE: work.token, "TERTULIA_MCP_URL": work.address}
                ),
                folder=Path(work.agent.working_directory or folder),
                given=given,
                most=work.agent.output_bytes,
                still=work.still,
                hear=listening.hear,
            )
            return _outcome(work, ended, listening)


def _answered(work: Work, reply: str, name: str, words: str) -> Work:
    """The same work, as it stands once an aside was answered."""
    answer = asyncio.run(_answer(work, name, words))
    work.say({"role": "assistant", "content": reply})
    work.say({"role": "tool", "toolName": name, "content": answer})
    said = [{"role": "user", "content": work.message}, {"role": "assistant", "content": reply}]
    return replace(work, history=[*work.history, *said], message=answer)


async def _answer(work: Work, name: str, words: str) -> str:
    hub = HubTools(work.address, work.token)
    async with hub.http:
        try:
            offered = await hub.offered() if work.tools else []
            return await Answering(each for each in offered if each.name in work.tools).answer(name, words)
        except DomainError as refusal:  # the hub cannot be reached, or knows the run no more
            return refusal.detail


def _with(before: Outcome, after: Outcome) -> Outcome:
    """How both ended: the later one, and what both cost."""
    costs = [each.cost for each in (before, after) if each.cost is not None]
    return replace(
        after,
        input_tokens=before.input_tokens + after.input_tokens,
        output_tokens=before.output_tokens + after.output_tokens,
        cost=sum(costs) if costs else None,
    )


def _command(work: Work, config: str) -> Command:
    """What the preset says, or the owner's own template."""
    agent = work.agent
    if not agent.preset:
        return Command(argv=list(agent.argv))
    preset = PRESETS.get(agent.preset)
    if preset is None:
        raise Invalid("This agent's preset is unknown; choose another on its page.")
    own = list(agent.argv) or [agent.preset]
    return preset(
        Asked(
            program=own[0],
            model=work.model,
            address=work.address,
            config=config,
            tools=work.tools,
            wanted=work.wanted_tools,
            extra=own[1:],
        )
    )


def _prompt(work: Work) -> str:
    told = "\n\n".join(part.strip() for part in (work.run.context, work.told) if part.strip())
    return prompt(work.message, instructions=work.agent.instructions, context=told, history=work.history)


def _words(work: Work, command: Command, text: str, config: str) -> tuple[list[str], bytes | None]:
    """The arguments, the program found in the hub's PATH, and what it is given on standard input."""
    values = {"message": text, "model": work.model, "session_id": str(work.session.session_id), "mcp_config": config}
    by_argument = not work.agent.preset and takes_message(command.argv)
    words = command.argv if work.agent.preset else filled(command.argv, values)
    found = shutil.which(words[0]) if words else None
    if found is None:
        raise Invalid(NOT_STARTED)
    return [found, *words[1:]], None if by_argument else text.encode("utf-8", "replace")


class Listening:
    """Takes a program's output in: a dialect's events enter the transcript one by one, plain text every few seconds."""

    def __init__(self, work: Work, stream: str) -> None:
        self._work = work
        self.stream: Stream | None = STREAMS[stream]() if stream else None
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._line = ""
        self._waiting: list[str] = []
        self._told_at = time.monotonic()
        self.pieces: list[str] = []
        self.is_text = True

    def hear(self, data: bytes) -> None:
        """The next bytes."""
        if not self.is_text:
            return
        try:
            text = self._decoder.decode(data)
        except UnicodeDecodeError:
            self.is_text = False
            return
        if "\0" in text:
            self.is_text = False
        elif self.stream is not None:
            self._events(text)
        else:
            self._plain(text)

    def _events(self, text: str) -> None:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._tell(line)

    def _tell(self, line: str) -> None:
        assert self.stream is not None
        for message in self.stream.hear(line):
            self._work.say(message)

    def _plain(self, text: str) -> None:
        self.pieces.append(text)
        self._waiting.append(text)
        if time.monotonic() - self._told_at >= STREAM_SECONDS:
            shown = printable("".join(self._waiting))
            self._work.say({"role": "tool", "toolName": "output", "content": shown})
            self._waiting, self._told_at = [], time.monotonic()

    def told(self) -> Told:
        """All there is, once the program has ended."""
        if self.stream is None:
            return Told(reply=printable("".join(self.pieces)).strip(), ended=True)
        if self._line:
            self._tell(self._line)
            self._line = ""
        return self.stream.told


def printable(text: str) -> str:
    """Text as a transcript keeps it: line ends as one character, colours and other control characters gone."""
    return FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _outcome(work: Work, ended: Ended, listening: Listening) -> Outcome:
    told = listening.told()
    so_far = Outcome(
        state="ok",
        reply=printable(told.reply),
        input_tokens=told.input_tokens,
        output_tokens=told.output_tokens,
        context_tokens=told.context_tokens,
        cost=told.cost,
        model=told.model or work.model,
    )
    if ended.stopped:
        return work.interrupted(so_far)
    error = _fault(work, ended, listening, told)
    return so_far if not error else replace(so_far, state="error", reply="", error=error)


def _fault(work: Work, ended: Ended, listening: Listening, told: Told) -> str:
    """Why the run did not succeed; empty where it did."""
    if ended.flooded:
        return (
            f"The program wrote more than {work.agent.output_bytes:,} bytes and was ended; raise the limit or have it say less."
        )
    if not listening.is_text:
        return BINARY
    if ended.status in {KILLED, -9}:
        return "The program was killed (137): the machine ran out of memory, or somebody ended it."
    if told.error:
        return one_line(told.error, SAID_LENGTH)
    if ended.status != 0:
        status = f"signal {-ended.status}" if ended.status is not None and ended.status < 0 else f"status {ended.status}"
        return f"The program ended with {status}{_last_words(ended)}"
    if listening.stream is not None and not told.ended and not told.reply:
        return "The harness ended without telling how; see that its version is one that docs/sessions.md names."
    return ""


def _last_words(ended: Ended) -> str:
    lines = [line for line in ended.errors.decode("utf-8", "replace").splitlines() if line.strip()]
    return f": {one_line(redact(lines[-1])[0], SAID_LENGTH)}" if lines else "."
