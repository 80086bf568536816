"""The hub, as the pane asks it from threads of its own: a slow hub never holds the screen."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any

from tertulia import chat
from tertulia.launches import Launch, listed, path_of
from tertulia.messages import Message, Page
from tertulia.owner import WRONG_PASSWORD, Owner, Unproved, by_browser, by_password
from tertulia.pane.board import NEWEST, Place, TopicRow, topic_rows
from tertulia.problems import Problem, Refused
from tertulia.receipts import came_of
from tertulia.signing import Asked, Hub

HOLD_SECONDS = 10
"""What changes without a message, such as a grant, is seen no later."""
Proof = str | None
"""What the owner answers when he is asked to show himself: his password, `BROWSER`, or None for no."""
BROWSER = "\0browser"
AskForProof = Callable[[str, "Future[Proof]"], None]
"""Shows the owner what he is asked, with a sentence of what went wrong before; his answer goes into the future."""


class Quietly:
    """The owner, never bothered: for what goes on by itself."""

    in_person = True

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.address = owner.address

    def ask(self, method: str, path: str, **how: Any) -> Any:
        """See Asked; raises Unproved where he would have to show himself."""
        return self._owner.ask_quietly(method, path, **how)


class Link:
    """Reads as who is signed in, or as the owner where only he may; does deeds as the owner."""

    def __init__(self, hub: Hub, ask_for_proof: AskForProof) -> None:
        self.hub = hub
        self.owner = Owner(hub, self._prove)
        self._quietly = Quietly(self.owner)
        self._ask_for_proof = ask_for_proof
        self.only_owner = False
        """Whether the hub lets nobody but the owner and granted launches read."""

    @property
    def reader(self) -> Asked:
        """As whom the pane reads: the owner sees more than a connection does."""
        return self._quietly if self.only_owner or self.owner.is_proved else self.hub

    def _prove(self, hub: Hub) -> str:
        wrong = ""
        while (given := self._answer(wrong)) is not None:
            if given == BROWSER:
                return by_browser(hub)
            try:
                return by_password(hub, given)
            except Problem as problem:
                if problem.code != WRONG_PASSWORD:
                    raise
                wrong = str(problem)
        raise Refused("You did not prove that you are the owner; nothing is done.")

    def _answer(self, wrong: str) -> Proof:
        answer: Future[Proof] = Future()
        self._ask_for_proof(wrong, answer)
        try:
            return answer.result()
        except CancelledError:  # the pane has ended
            return None

    def read(self, read: Callable[[Asked], Any]) -> Any:
        """What `read` finds, as whoever may; raises Unproved where that is the owner alone and he has not shown himself."""
        try:
            return read(self.reader)
        except Unproved:
            if self.only_owner:
                raise
            return read(self.hub)  # the proof is over, and was not needed
        except Refused as refused:
            if refused.code != chat.NOT_GRANTED or self.only_owner:
                raise
            self.only_owner = True
            return read(self._quietly)

    def newest(self, place: Place) -> list[Message]:
        """The newest messages of a place."""
        topic, thread = place.topic or None, place.thread or None
        page: Page = self.read(lambda hub: chat.newest(hub, NEWEST, topic=topic, thread=thread)[0])
        return list(page.messages)

    def latest(self) -> int:
        """The newest message's number."""
        number: int = self.read(chat.latest)
        return number

    def coming(self, after: int) -> Page:
        """What comes after `after`, held for `HOLD_SECONDS`; raises Problem at once where the hub is away."""
        page: Page = self.read(lambda hub: chat.hold(hub, after, chat.LeftOut(), HOLD_SECONDS, patience=0.0))
        return page

    def topics(self) -> list[TopicRow]:
        """The topics."""
        return topic_rows(self.read(chat.topics))

    def launches(self) -> list[Launch]:
        """The launches that run."""
        running: list[Launch] = self.read(lambda hub: listed(hub, patience=0.0)[0])
        return running

    def receipts(self, seqs: list[int]) -> dict[int, str]:
        """What became of the mentions of these messages."""
        read: dict[int, str] = self.read(lambda hub: {seq: came_of(hub.ask("GET", chat.receipts_path(seq))) for seq in seqs})
        return read

    def post(self, draft: dict[str, Any]) -> dict[str, Any]:
        """Post as the owner; the receipt."""
        return chat.post(self.owner, draft)

    def open_topic(self, name: str) -> None:
        """Create a topic."""
        self.owner.ask("POST", chat.TOPICS, body={"topic": name})

    def grant(self, launch: Launch, handle: str, typed: str, *, wake: bool) -> None:
        """Grant a launch the chat."""
        self.owner.ask("POST", path_of(launch, "grant"), body={"handle": handle, "wake": wake, "typed": typed})

    def revoke(self, launch: Launch) -> None:
        """End its grant."""
        self.owner.ask("POST", path_of(launch, "revoke"))
