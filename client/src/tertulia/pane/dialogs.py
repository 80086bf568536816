"""What the pane asks before it does something that only the owner may."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from tertulia.inert import line
from tertulia.launches import WARNING, Launch
from tertulia.pane.link import BROWSER, Proof


class Dialog(ModalScreen[str | None]):
    """A box in the middle: what it is about, and a line or a button to answer with; Escape answers no."""

    BINDINGS = [("escape", "no", "No")]

    def said(self) -> Content:
        """What the dialog tells."""
        raise NotImplementedError

    def field(self) -> Input | None:
        """The line to fill in, if there is one."""
        return None

    def buttons(self) -> dict[str, str]:
        """Words of buttons by what they answer."""
        return {}

    def compose(self) -> ComposeResult:
        """Its parts."""
        with Vertical():
            yield Static(self.said(), markup=False, id="said")
            if (field := self.field()) is not None:
                yield field
            with Horizontal():
                for answer, word in self.buttons().items():
                    yield Button(word, id=answer, compact=True)
                yield Button("Cancel", id="no", compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter answers with the line."""
        event.stop()
        self.dismiss(event.value)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button answers with its name."""
        event.stop()
        self.dismiss(None if event.button.id == "no" else self.answer_of(str(event.button.id)))

    def answer_of(self, button: str) -> str:
        """What a button answers."""
        return button

    def action_no(self) -> None:
        """Escape."""
        self.dismiss(None)


class ProofDialog(Dialog):
    """Asks the owner to show himself; answers with his password or `BROWSER`."""

    def __init__(self, who: str, hub: str, wrong: str) -> None:
        super().__init__()
        self._who, self._hub, self._wrong = who, hub, wrong

    def said(self) -> Content:
        """See Dialog."""
        asked = f"Password of {line(self._who, 100) or 'the owner'} at {line(self._hub, 100)}."
        told = "It is kept nowhere; for five minutes you act as the owner."
        return Content("\n".join(filter(None, (line(self._wrong, 200), asked, told))))

    def field(self) -> Input:
        """See Dialog."""
        return Input(password=True, id="password")

    def buttons(self) -> dict[str, str]:
        """See Dialog."""
        return {"browser": "Approve in a browser"}

    def answer_of(self, button: str) -> Proof:  # type: ignore[override]
        """See Dialog."""
        return BROWSER


class LaunchDialog(Dialog):
    """About one launch, which it names by pane, profile and key."""

    def __init__(self, launch: Launch, deed: str) -> None:
        super().__init__()
        self.launch, self._deed = launch, deed

    def said(self) -> Content:
        """See Dialog."""
        facts = [f"{name:8} {value}" for name, value in [*self.launch.facts(), ("handle", f"@{line(self.handle, 64)}")]]
        return Content("\n".join([self._deed, "", *facts]))

    @property
    def handle(self) -> str:
        """What it is called, or would be."""
        return self.launch.handle or self.launch.suggested_handle


class GrantDialog(LaunchDialog):
    """Answers with the handle that was typed."""

    def said(self) -> Content:
        """See Dialog."""
        return Content("\n").join([super().said(), Content(f"\n{WARNING}\nType the handle to grant it.")])

    def field(self) -> Input:
        """See Dialog."""
        return Input(max_length=64, id="typed")


class RevokeDialog(LaunchDialog):
    """Answers with a word for yes."""

    def buttons(self) -> dict[str, str]:
        """See Dialog."""
        return {"yes": "Revoke"}
