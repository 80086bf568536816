"""A Unix socket at which a test answers in a launcher's place."""

import socket
import threading
from pathlib import Path

SECONDS = 30


class Door:
    """Serves one connection after the other, from `open` to `close`; subclasses answer."""

    def open(self, folder: Path) -> None:
        """Listen at `socket` in this folder."""
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(folder / "socket"))
        self._server.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let go of it once the last connection is answered."""
        self._server.shutdown(socket.SHUT_RDWR)
        self._thread.join(SECONDS)
        self._server.close()

    def answer(self, link: socket.socket) -> None:
        """Say what there is to say to who has connected."""
        raise NotImplementedError

    def _serve(self) -> None:
        while True:
            try:
                link, _ = self._server.accept()
            except OSError:
                return
            with link:
                self.answer(link)
