"""`/ws/launch/`: what a launcher tells is done or answered, and it is told what changed."""

import asyncio
import json
from typing import Any, NoReturn

import structlog

from accounts.actions import connection_key
from accounts.bearer import actor_behind
from accounts.challenge import token_from
from accounts.launches import actions
from accounts.launches.actions import MOST_LIVE
from accounts.launches.credentials import HEADER, launch_has_ended, with_launch
from accounts.launches.news import launch_key
from chat import hooks
from chat.launcher.frames import TOO_LARGE, BeatFrame, EndFrame, HookFrame, WakeFrame, parse
from chat.launcher.news import pane_key
from chat.launcher.pace import Pace
from chat.launcher.reading import Hold, State, look
from chat.wakes.actions import settle
from core import executors, news
from core.actor import Actor, Door
from core.errors import Busy, DomainError, Invalid, TooMany
from core.held import Places
from core.mounts import Receive, Scope, Send, headers_of
from core.tools import tools_key

log = structlog.get_logger(__name__)
LOOK_SECONDS = 20.0
"""How often a line on which nothing happens looks whether it still stands."""
HOOK_SECONDS = 0.15
"""A harness waits 200 ms for its hook, the launcher and the hook's own process included."""
HOOKS_AT_ONCE = 4
SEND_SECONDS = 10.0
"""Who takes longer to take a frame is gone."""
FRAMES_PER_SECOND, FRAMES_AT_ONCE = 20, 200
BEATS_PER_SECOND, BEATS_AT_ONCE = 1, 30
"""Each beat is written; a launcher beats every ten seconds, and when it is asked."""
FLOODED, FAILED = 4429, 4500
FLOOD = "Too many frames; send them more slowly."
CODES = {401: 4401, 404: 4404, 409: 4409, 410: 4410, 429: FLOODED}
"""How a line is closed for a refusal of this status: sign in afresh, register again, another took over, it has ended, wait."""
MALFORMED, LARGE = 4400, 4413
lines = Places("launchers", most=2 * MOST_LIVE)
"""Lines of one account; twice as many as launches, for a launcher that comes back before its old line is known to be dead."""


class PeerGone(Exception):
    """The launcher closed its end, or takes nothing any more."""


async def launcher_door(scope: Scope, receive: Receive, send: Send) -> None:
    """Accept, then say by a close code why not: a client learns nothing of a refused handshake but that it was."""
    await receive()
    await send({"type": "websocket.accept"})
    code = await _held(scope, receive, send)
    if code is not None:
        await send({"type": "websocket.close", "code": code})


async def _held(scope: Scope, receive: Receive, send: Send) -> int | None:
    """Hold the line; answers how it is to be closed (None: it is)."""
    headers = headers_of(scope)
    try:
        caller = await actor_behind(token_from(headers.get("authorization")), Door.WEBSOCKET)
        actor = await with_launch(caller, headers.get(HEADER))
        with lines.take(f"account:{actor.account_id}"):
            await Line(actor, receive, send).hold()
    except PeerGone:
        return None
    except DomainError as refusal:
        return code_of(refusal)
    except Exception:  # a line kept open would hear nothing any more, and not come back by itself
        log.exception("launcher_line_failed")
        return FAILED


def code_of(refusal: DomainError) -> int:
    """How a refusal closes a line."""
    return LARGE if refusal.code == TOO_LARGE else CODES.get(refusal.status, MALFORMED)


class Line:
    """One launcher's line, for as long as its launch, its token's connection and its peer last.

    What waits to be told is kept as what is true now, never as a list: a slow peer costs no memory.
    """

    def __init__(self, actor: Actor, receive: Receive, send: Send) -> None:
        assert actor.launch_id is not None
        self._actor, self._launch_id = actor, actor.launch_id
        self._receive, self._send = receive, send
        self._sending = asyncio.Lock()
        self._hold = Hold(self._launch_id)
        self._state: State | None = None
        self._asked: set[int] = set()
        self._told: asyncio.Queue[BeatFrame | WakeFrame | EndFrame] = asyncio.Queue(FRAMES_AT_ONCE)
        self._hooks_in_flight = 0

    async def hold(self) -> NoReturn:
        """Serve until the end; raises what ended it."""
        await executors.read(self._hold.take)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._tell())
                group.create_task(self._write_down())
                group.create_task(self._listen(group))
        except BaseExceptionGroup as ends:
            raise _first(ends) from None
        raise PeerGone

    async def _tell(self) -> None:
        launch, tools, pane = launch_key(self._launch_id), tools_key(self._actor.account_id), pane_key(self._launch_id)
        with news.board.watch(launch, tools, pane, connection_key(self._actor.connection_id)) as watch:
            rung = frozenset({launch})
            while True:
                if tools in rung:
                    await self._say(type="tools")
                if pane in rung:
                    await self._say(type="pane")
                if not rung or rung - {tools, pane}:
                    await self._tell_state()
                rung = await watch.wait(LOOK_SECONDS)

    async def _tell_state(self) -> None:
        state, wakes = await executors.read(look, self._actor, self._hold)
        if state != self._state:
            self._state = state
            await self._say(**state.told())
        fresh, self._asked = sorted(set(wakes) - self._asked), set(wakes)
        for wake in fresh:
            await self._say(type="wake", id=wake)

    async def _listen(self, group: asyncio.TaskGroup) -> None:
        time = asyncio.get_running_loop().time
        pace, beats = Pace(FRAMES_PER_SECOND, FRAMES_AT_ONCE, time), Pace(BEATS_PER_SECOND, BEATS_AT_ONCE, time)
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                raise PeerGone
            if not pace.allows():
                raise TooMany(FLOOD)
            try:
                frame = parse(message.get("text"))
            except Invalid as refusal:
                await self._say(type="error", detail=refusal.detail)
                raise
            if isinstance(frame, HookFrame):
                group.create_task(self._answer(frame))
            elif self._told.full() or (isinstance(frame, BeatFrame) and not beats.allows()):
                raise TooMany(FLOOD)
            else:
                self._told.put_nowait(frame)
                if isinstance(frame, EndFrame):
                    return  # the launcher goes now, and must not overtake its last word

    async def _write_down(self) -> None:
        """What needs no answer waits for the database in its own line, so that no hook waits behind it."""
        while True:
            frame = await self._told.get()
            try:
                await self._do(frame)
            except Busy:
                log.info("launcher_not_heard", launch=self._launch_id, frame=frame.type)
            if isinstance(frame, EndFrame):
                raise launch_has_ended()

    async def _do(self, frame: BeatFrame | WakeFrame | EndFrame) -> None:
        match frame:
            case BeatFrame():
                await executors.write(actions.beat, self._actor, pane_state=frame.pane_state)
            case WakeFrame():
                told = {"outcome": frame.outcome, "detail": frame.detail}
                await executors.agent_write(settle, self._actor, wake_id=frame.id, **told)
            case EndFrame():
                await executors.write(actions.end, self._actor, exit_status=frame.exit_status, reason=frame.reason)

    async def _answer(self, frame: HookFrame) -> None:
        """What the hook is to tell, in time or not at all: with others still waiting it would come too late."""
        text = ""
        if self._hooks_in_flight < HOOKS_AT_ONCE:
            self._hooks_in_flight += 1
            try:
                async with asyncio.timeout(HOOK_SECONDS):
                    text = await executors.agent_write(hooks.answer, self._launch_id, frame.event, self._actor.scopes)
            except TimeoutError:
                log.info("hook_too_late", launch=self._launch_id)
            except Exception:
                log.warning("hook_failed", launch=self._launch_id, exc_info=True)
            finally:
                self._hooks_in_flight -= 1
        await self._say(type="hook", id=frame.id, text=text)

    async def _say(self, **frame: Any) -> None:
        text = json.dumps(frame, ensure_ascii=False)
        try:
            async with asyncio.timeout(SEND_SECONDS), self._sending:
                await self._send({"type": "websocket.send", "text": text})
        except (TimeoutError, OSError):
            raise PeerGone from None


def _first(ends: BaseExceptionGroup[Any]) -> BaseException:
    """The first of several ends at one moment."""
    first = ends.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
