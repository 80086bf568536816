"""What a runner is given to execute, and what it may answer beside an outcome."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sessions_app.models import Agent, Run, Session
from sessions_app.values import BEAT_SECONDS, Outcome, State

Message = dict[str, Any]
LOST, STOPPED, TIMED_OUT = "lost", "stopped", "timed_out"
WORDS = {STOPPED: "It was stopped.", LOST: "The run was given to another worker."}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTool:
    """A call that waits for the owner's leave."""

    call_id: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A run cannot go on before its owner has decided; `progress` is what its runner needs to go on then."""

    asked: tuple[AskedTool, ...]
    progress: Any
    input_tokens: int = 0
    output_tokens: int = 0


class Pulse:
    """Beats for a claim from a thread of its own, and knows why the work must end: lost, stopped, or its time is over.

    `beat()` is False where the claim is no longer in force; `seconds` None: without a limit. `clock` gives monotonic seconds.
    """

    def __init__(
        self,
        beat: Callable[[], bool],
        *,
        seconds: float | None,
        every: float = BEAT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._beat, self._every, self._clock = beat, every, clock
        self._ends = None if seconds is None else clock() + seconds
        self._over = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(target=self._go_on, daemon=True)

    def __enter__(self) -> "Pulse":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _go_on(self) -> None:
        while not self._over.wait(self._every):
            if not self._beat():
                self._lost.set()
                return

    @property
    def reason(self) -> str:
        """Why the work must end; empty while it may go on."""
        if self._lost.is_set():
            return STOPPED
        return TIMED_OUT if self._ends is not None and self._clock() >= self._ends else ""

    def left(self) -> float | None:
        """Seconds until the time is over; None without a limit."""
        return None if self._ends is None else max(0.0, self._ends - self._clock())


@dataclass(kw_only=True)
class Work:
    """One attempt at a run.

    `model` is the model in force, `tools` the hub's tools it may use, `wanted_tools` the run's whitelist, else its agent's
    (empty: the hub's tools alone), `denied_tools` what its owner denies sub-agents, `message` what is to be answered now: the
    run's own, or what answers an aside, `token` opens `address` (the hub's /mcp) as the session, `history` what was said in it
    before, `told` what the hub says at the end of its system prompt, another thing with every run, `decisions` what the owner
    said of the calls that were put to him.
    """

    run: Run
    agent: Agent
    session: Session
    pulse: Pulse
    tell: Callable[[Message], bool]
    token: str = ""
    address: str = ""
    model: str = ""
    tools: tuple[str, ...] = ()
    wanted_tools: tuple[str, ...] = ()
    denied_tools: tuple[str, ...] = ()
    history: list[Message] = field(default_factory=list)
    told: str = ""
    message: str = ""
    decisions: dict[str, bool] = field(default_factory=dict)

    def say(self, message: Message) -> None:
        """Let a message of this run enter the transcript while it goes on."""
        self.tell(message)

    def still(self) -> bool:
        """Whether to go on: False once the run was stopped, given to another, or its time is over."""
        return not self.pulse.reason

    def interrupted(self, outcome: Outcome | None = None) -> Outcome:
        """How a run ends that `still` ended; what was counted so far is kept."""
        state: State = "timed_out" if self.pulse.reason == TIMED_OUT else "stopped"
        words = f"It took longer than {self.limit} seconds." if state == "timed_out" else WORDS[STOPPED]
        so_far = outcome or Outcome(state=state)
        return Outcome(
            state=state,
            error=words,
            input_tokens=so_far.input_tokens,
            output_tokens=so_far.output_tokens,
            cost=so_far.cost,
            model=so_far.model,
        )

    @property
    def limit(self) -> int:
        """Seconds a run may take: its own limit, else the agent's; 0 without one."""
        return int(self.run.timeout_seconds or self.agent.timeout_seconds)
