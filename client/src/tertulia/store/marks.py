"""How far each session has read at each hub: `marks.json`. A mark never goes back by itself."""

from typing import Any

from tertulia.store.files import PrivateFile


class Marks:
    """The marks of one session name at one hub."""

    def __init__(self, hub: str, session_name: str) -> None:
        self.file = PrivateFile("marks.json")
        self._hub, self._session = hub, session_name

    def get(self) -> int | None:
        """The number up to which everything was shown, None for a session that has read nothing yet."""
        found = _of_hub(self.file.read(), self._hub).get(self._session)
        return found if isinstance(found, int) and found >= 0 else None

    def move(self, seq: int, *, back: bool = False) -> None:
        """Set the mark; an earlier one than it has only where `back` is meant. Raises Problem."""
        now = self.get()
        if now is not None and (now == seq or (now > seq and not back)):
            return
        with self.file.locked():
            data = self.file.read()
            marks = _of_hub(data, self._hub)
            held = marks.get(self._session)
            marks[self._session] = seq if back or not isinstance(held, int) else max(held, seq)
            self.file.write({**data, self._hub: marks})


def forget_marks(hub: str) -> None:
    """Let every session begin anew at a hub."""
    PrivateFile("marks.json").forget(hub)


def session_names(hub: str) -> list[str]:
    """Sessions that have read at a hub."""
    return list(_of_hub(PrivateFile("marks.json").read(), hub))


def _of_hub(data: dict[str, Any], hub: str) -> dict[str, Any]:
    held = data.get(hub)
    return dict(held) if isinstance(held, dict) else {}
