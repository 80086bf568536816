"""News goes up: a hint that something under a key changed, sent after commit, to every process of the hub.

A hint is not the message: whoever wakes re-reads the database. Keys are text, `kind:id` (`chat:12`, `connection:c-…`).
"""

from core.news.board import Board, Watch, board
from core.news.couriers import publish, publish_on_commit, start, stop

__all__ = ["Board", "Watch", "board", "publish", "publish_on_commit", "start", "stop"]
