"""The pane itself."""

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message as Event
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from tertulia.address import short_name
from tertulia.inert import line
from tertulia.launches import GRANTED, LIVE, Launch
from tertulia.pane import drawn
from tertulia.pane.board import EVERYWHERE, Board, Place
from tertulia.pane.dialogs import GrantDialog, ProofDialog, RevokeDialog
from tertulia.pane.events import Came, Done, ProofAsked
from tertulia.pane.feed import Feed
from tertulia.pane.link import Link, Proof
from tertulia.pane.multiplexer import open_pane
from tertulia.pane.palette import OwnersDeeds
from tertulia.pane.stream import Stream
from tertulia.pane.typed import HELP, New, Say, Thread, Unclear, understood
from tertulia.problems import Problem
from tertulia.receipts import outcome
from tertulia.signing import Hub


class ChatPane(App[None]):
    """Launches and topics at the side, messages, and a line to type in; on a narrow terminal one or the other."""

    TITLE = "Tertulia"
    COMMANDS = {OwnersDeeds}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (64, "-wide")]
    BINDINGS: ClassVar[list[Any]] = [
        Binding("m", "chat", "Chat"),
        Binding("escape", "lists", "Lists"),
        Binding("u", "prove", "Prove"),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]
    CSS_PATH = "pane.tcss"

    def __init__(self, hub: Hub) -> None:
        super().__init__()
        self.hub = hub
        self.board = Board()
        self.link = Link(hub, lambda wrong, answer: self._send(ProofAsked(wrong, answer)))
        self.feed = Feed(self.link, self.board, lambda news: self._send(Came(news)))
        self._asked: set[Future[Proof]] = set()
        self._listed: dict[str, list[tuple[str, Content]]] = {}

    @property
    def main(self) -> Screen[Any]:
        """The screen beneath every dialog."""
        return self.screen_stack[0]

    def _send(self, event: Event) -> None:
        """From any thread; to a pane that has ended it says nothing."""
        with contextlib.suppress(RuntimeError):
            self.post_message(event)

    def compose(self) -> ComposeResult:
        """Its parts."""
        yield Static(self._head(), id="head", markup=False)
        yield Static("", id="trouble", markup=False)
        with Horizontal():
            with Vertical(id="sides"):
                yield Static("Launches")
                yield OptionList(id="launches", markup=False, compact=True)
                yield Static("Topics")
                yield OptionList(id="topics", markup=False, compact=True)
            with Vertical(id="chat"):
                yield Static("", id="place", markup=False)
                with VerticalScroll(id="messages", can_focus=True):
                    yield Stream(self.board)
                yield Input(placeholder=HELP, id="line", max_length=8192, compact=True)
        yield Footer()

    def _head(self) -> Content:
        return Content(f"Tertulia  {line(short_name(self.hub.address), 60)}  {line(self.hub.held.account, 100)}")

    def on_mount(self) -> None:
        """Begin to listen."""
        self.main.query_one("#topics").focus()
        self.main.query_one("#messages").anchor()
        self._draw()
        self.feed.start()

    def on_unmount(self) -> None:
        """Let every thread go."""
        self.feed.stop()
        for answer in self._asked:
            answer.cancel()

    # What came

    @on(Came)
    def _came(self, event: Came) -> None:
        news, board = event.news, self.board
        if news.anew:
            board.go(board.place)
        board.show(news.messages)
        board.topics = board.topics if news.topics is None else news.topics
        board.launches = board.launches if news.launches is None else news.launches
        board.receipts |= news.receipts
        board.trouble = f"{news.trouble} Press u." if news.locked else news.trouble
        self._draw()

    def _draw(self) -> None:
        board = self.board
        self._fill("#launches", [(each.key, drawn.launch_row(each)) for each in board.launches])
        rows = [None, *board.topics]
        self._fill("#topics", [(row.topic if row else EVERYWHERE, drawn.topic_row(row)) for row in rows])
        trouble = self.main.query_one("#trouble", Static)
        trouble.update(line(board.trouble, 300))
        trouble.set_class(bool(board.trouble), "shown")
        self.main.query_one("#place", Static).update(line(board.place.name, 120))
        self.main.query_one(Stream).draw()

    def _fill(self, which: str, rows: list[tuple[str, Content]]) -> None:
        """Keeps what is chosen chosen."""
        if self._listed.get(which) == rows:
            return
        self._listed[which] = rows
        listed = self.main.query_one(which, OptionList)
        chosen = self._chosen(which)
        listed.set_options([Option(shown, id=f"-{key}") for key, shown in rows])
        keys = [key for key, _ in rows]
        if keys:
            listed.highlighted = keys.index(chosen) if chosen in keys else 0

    def _chosen(self, which: str) -> str | None:
        listed = self.main.query_one(which, OptionList)
        if listed.highlighted is None or listed.highlighted >= listed.option_count:
            return None
        return str(listed.get_option_at_index(listed.highlighted).id)[1:]

    @on(OptionList.OptionSelected, "#topics")
    def _topic_chosen(self, event: OptionList.OptionSelected) -> None:
        self._go(Place(str(event.option_id)[1:]))
        self.action_chat()

    def _go(self, place: Place) -> None:
        self.board.go(place)
        self._draw()
        self.main.query_one("#messages").anchor()
        self._beside(lambda: self.link.newest(place), self._arrived(place))

    def _arrived(self, place: Place) -> Callable[[Any], None]:
        def arrived(messages: Any) -> None:
            if place == self.board.place:
                self.board.show(messages)
                self._draw()

        return arrived

    # What the owner does

    @on(Input.Submitted, "#line")
    def _typed(self, event: Input.Submitted) -> None:
        meant, typed = understood(event.value), event.value
        match meant:
            case Say(text, reply_to):
                draft = self.board.place.draft(text, reply_to)
                self._beside(lambda: self.link.post(draft), self._posted, lambda: self._give_back(typed))
            case Thread(seq):
                self._go(Place(thread=seq))
            case New(topic):
                self._beside(
                    lambda: self.link.open_topic(topic), lambda _: self._go(Place(topic)), lambda: self._give_back(typed)
                )
            case Unclear(sentence):
                self._say(sentence)
                return
        event.input.clear()

    def _give_back(self, typed: str) -> None:
        """What could not be sent stands in the line again, unless something else does."""
        field = self.main.query_one("#line", Input)
        field.value = field.value or typed

    def _posted(self, receipt: Any) -> None:
        for sentence in outcome(receipt):
            self._say(sentence)

    def action_chat(self) -> None:
        """Show the chat, with the line ready."""
        self.main.add_class("chatting")
        self.main.query_one("#line").focus()

    def action_lists(self) -> None:
        """Go to the lists; out of a thread first."""
        if self.board.place.thread:
            self._go(Place())
        self.main.remove_class("chatting")
        self.main.query_one("#topics").focus()

    def action_prove(self) -> None:
        """Show yourself as the owner, so that the pane reads what only the owner may."""
        self._beside(self.link.owner.prove)

    def action_grant(self, wake: bool) -> None:
        """Ask which handle, then grant the chosen launch."""
        launch = self._launch(LIVE - GRANTED, "Choose a launch that runs and is not granted yet, in the list.")
        if launch is None:
            return
        deed = "Grant chat and wake" if wake else "Grant chat"

        def typed(handle: str | None) -> None:
            if handle is not None:
                name = launch.suggested_handle
                self._beside(
                    lambda: self.link.grant(launch, name, handle, wake=wake), lambda _: self._say(f"Granted to @{name}.")
                )

        self.push_screen(GrantDialog(launch, deed), typed)

    def action_revoke(self) -> None:
        """Ask, then end the chosen launch's grant."""
        launch = self._launch(GRANTED, "Choose a launch that is granted, in the list.")
        if launch is None:
            return

        def answered(yes: str | None) -> None:
            if yes is not None:
                self._beside(lambda: self.link.revoke(launch), lambda _: self._say(f"Revoked @{launch.handle}."))

        self.push_screen(RevokeDialog(launch, "Revoke chat"), answered)

    def _launch(self, states: frozenset[str], otherwise: str) -> Launch | None:
        key = self._chosen("#launches")
        launch = next((each for each in self.board.launches if each.key == key and each.state in states), None)
        if launch is None:
            self._say(otherwise)
        return launch

    def action_open_pane(self) -> None:
        """Another pane beside this one."""
        self._beside(lambda: open_pane(self.hub.address))

    @on(ProofAsked)
    def _ask(self, event: ProofAsked) -> None:
        answer = event.answer
        self._asked.add(answer)

        def answered(proof: Proof) -> None:
            self._asked.discard(answer)
            answer.set_result(proof)

        self.push_screen(ProofDialog(self.hub.held.account, self.hub.address, event.wrong), answered)

    @on(Done)
    def _done(self, event: Done) -> None:
        event.then()
        self.feed.hurry()

    def _beside(
        self,
        deed: Callable[[], Any],
        then: Callable[[Any], None] = lambda _: None,
        otherwise: Callable[[], None] = lambda: None,
    ) -> None:
        """Do something that asks the hub, in a thread of its own, and then show what came of it."""

        def failed(sentence: str) -> None:
            self._say(sentence, severity="error")
            otherwise()

        def run() -> None:
            try:
                found = deed()
            except Problem as problem:
                self._send(Done(partial(failed, str(problem))))
            else:
                self._send(Done(partial(then, found)))

        threading.Thread(target=run, daemon=True).start()

    def _say(self, sentence: str, *, severity: Any = "information") -> None:
        self.notify(line(sentence, 400), severity=severity, markup=False)
