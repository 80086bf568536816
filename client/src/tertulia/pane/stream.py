"""The messages as a widget that wraps them anew for the width it gets."""

from textual import events
from textual.widgets import Static

from tertulia.pane.board import Board
from tertulia.pane.drawn import stream


class Stream(Static):
    """Shows the messages of a board."""

    def __init__(self, board: Board) -> None:
        super().__init__("", id="stream", markup=False)
        self._board = board
        self._drawn_for = 0

    def draw(self) -> None:
        """Show what is on the board now; where it is not shown at all, later."""
        self._drawn_for = self.size.width
        if self._drawn_for:
            self.update(stream(self._board, self._drawn_for))

    def on_resize(self, event: events.Resize) -> None:
        """Another height is our own doing."""
        if event.size.width != self._drawn_for:
            self.call_after_refresh(self.draw)  # what it changes is laid out anew, once this layout is done
