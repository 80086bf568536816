"""What threads tell the pane."""

from collections.abc import Callable
from concurrent.futures import Future

from textual.message import Message as Event

from tertulia.pane.feed import News
from tertulia.pane.link import Proof


class Came(Event):
    """The feed found something."""

    def __init__(self, news: News) -> None:
        super().__init__()
        self.news = news


class ProofAsked(Event):
    """A deed needs the owner's proof; it waits for `answer`."""

    def __init__(self, wrong: str, answer: "Future[Proof]") -> None:
        super().__init__()
        self.wrong, self.answer = wrong, answer


class Done(Event):
    """A deed has ended: `then` shows what came of it."""

    def __init__(self, then: Callable[[], None]) -> None:
        super().__init__()
        self.then = then
