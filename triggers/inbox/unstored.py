"""Messages that the database refuses for now, told from memory: the listener that holds them says so by news, and each process
that shows pages keeps the newest. They are stored, numbered and fired on when writes work again."""

import json
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core import clock, news
from core.text import one_line
from triggers.news import push_key
from triggers.values import PREVIEW

KIND = "push-unstored"
KEPT, MOST_ACCOUNTS = 20, 200
FORGOTTEN = timedelta(minutes=10)
"""A listener that is gone can no longer say that it is over."""
MOST_RULES, NAME = 5, 64
LARGEST_HINT = 7000

_lock = threading.Lock()
_held: dict[int, deque["Unstored"]] = {}


@dataclass(frozen=True, slots=True)
class Unstored:
    """One of them, cut for a line; `rules` are those that match it, by name."""

    server: str
    channel: str
    content: str
    at: datetime
    rules: tuple[str, ...] = ()


def tell(account_id: int, lines: Sequence[Unstored]) -> None:
    """Show these on the account's pages; none: all of them are stored now."""
    said = json.dumps([_written(each) for each in lines[-KEPT:]])
    while len(said) > LARGEST_HINT:
        lines = lines[1:]
        said = json.dumps([_written(each) for each in lines])
    news.publish([f"{KIND}:{account_id}:{said}"])


def hear(key: str) -> None:
    """A process is told; what makes no sense is forgotten."""
    _kind, account, said = [*key.split(":", 2), "", ""][:3]
    try:
        account_id, lines = int(account), [_read(each) for each in json.loads(said)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return
    with _lock:
        if not lines:
            _held.pop(account_id, None)
        elif account_id in _held or len(_held) < MOST_ACCOUNTS:
            _held.setdefault(account_id, deque(maxlen=KEPT)).extend(lines)
    news.board.ring([push_key(account_id)])


def recent(account_id: int | None) -> list[Unstored]:
    """What this process knows of, oldest first."""
    after = clock.now() - FORGOTTEN
    with _lock:
        return [each for each in _held.get(account_id or 0, ()) if each.at > after]


def forget() -> None:
    """For tests."""
    with _lock:
        _held.clear()


def _written(line: Unstored) -> list[object]:
    content = one_line(line.content, PREVIEW)
    rules = [name[:NAME] for name in line.rules[:MOST_RULES]]
    return [line.server[:NAME], one_line(line.channel, NAME), content, line.at.isoformat(), rules]


def _read(said: list[object]) -> Unstored:
    server, channel, content, at, rules = said
    if not isinstance(rules, list) or not isinstance(at, str):
        raise ValueError("no line")
    names = tuple(one_line(str(name), NAME) for name in rules[:MOST_RULES])
    moment = datetime.fromisoformat(at)
    if moment.tzinfo is None:
        raise ValueError("no moment")
    return Unstored(one_line(str(server), NAME), one_line(str(channel), NAME), one_line(str(content), PREVIEW), moment, names)
