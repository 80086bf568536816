"""How long to wait before a dead process is started again. Pure."""

from dataclasses import dataclass


@dataclass(slots=True)
class Backoff:
    """Doubles from `first` to `most` seconds with each death in a row; a life of `calm` seconds forgets them."""

    first: float = 0.5
    most: float = 30.0
    calm: float = 60.0
    deaths: int = 0

    def after(self, lived: float) -> float:
        """Seconds to wait now that the process died after `lived` seconds."""
        if lived >= self.calm:
            self.deaths = 0
        pause = min(self.first * 2 ** min(self.deaths, 16), self.most)
        self.deaths += 1
        return float(pause)
