"""The owner's deeds in the palette (Ctrl+P)."""

from collections.abc import Awaitable, Callable

from textual.command import DiscoveryHit, Hit, Hits, Provider

DEEDS = (
    ("Grant chat", "grant(False)", "Let the launch that is chosen in the list chat"),
    ("Grant chat and wake", "grant(True)", "The same, and mentions wake it"),
    ("Revoke chat", "revoke", "End the grant of the launch that is chosen in the list"),
    ("Post to chat", "chat", "Go to the line"),
    ("Open chat pane", "open_pane", "Another pane beside this one, in tmux or Zellij"),
    ("Quit", "quit", "Leave"),
)


class OwnersDeeds(Provider):
    """Finds them by their names."""

    async def discover(self) -> Hits:
        """All of them."""
        for name, action, help_ in DEEDS:
            yield DiscoveryHit(name, self._run(action), help=help_)

    async def search(self, query: str) -> Hits:
        """Those whose name is like it; of two the shorter first, so that what is typed whole is what is done."""
        matcher = self.matcher(query)
        for name, action, help_ in DEEDS:
            if (score := matcher.match(name)) > 0:
                yield Hit(score / len(name), matcher.highlight(name), self._run(action), help=help_)

    def _run(self, action: str) -> Callable[[], Awaitable[bool]]:
        return lambda: self.app.run_action(f"app.{action}")
