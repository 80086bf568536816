"""Lines of a program's output, read from bytes as they come; memory stays bounded. Pure."""

from triggers.listening.events import MOST_BYTES


class Lines:
    """Cuts a stream into lines; a line beyond `most` bytes is let go whole, and counted in `too_long`. A byte order mark at the
    beginning of a line is none of its text."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.too_long = 0
        self._most = most
        self._held = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that end within this piece, without their endings; bytes that are no UTF-8 are replaced."""
        *ended, rest = chunk.split(b"\n")
        found: list[str] = []
        for piece in ended:
            self._hold(piece)
            if not self._skipping:
                found.append(bytes(self._held).decode("utf-8-sig", "replace").rstrip("\r"))
            self._held.clear()
            self._skipping = False
        self._hold(rest)
        return found

    def _hold(self, piece: bytes) -> None:
        if not self._skipping and len(self._held) + len(piece) > self._most:
            self._skipping = True
            self.too_long += 1
            self._held.clear()
        if not self._skipping:
            self._held += piece
