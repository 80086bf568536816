"""What calls of agents may do to the chat's tables: post, note what was read and told, decide on wakes; delete nothing."""

from chat.models import Attendance, ChatSettings, Counter, Cursor, Grant, Mention, Message, Ticket, Topic, Wake
from chat.search import sqlite
from core.agent_door.rights import open_table, word_indexes


def declare() -> None:
    """Open what posting, reading, waiting, hooks and tickets need."""
    open_table(ChatSettings)
    open_table(Topic)
    open_table(Grant)
    open_table(Message, insert=True)
    open_table(Counter, update=("last_seq", "stored_bytes"))
    open_table(Mention, insert=True, update=("offered_at", "offered_by", "read_at", "reply_seq"))
    open_table(Cursor, insert=True, update=("seq", "moved_at"))
    told = ("tools_listed_at", "status", "status_at", "hook_at", "told_seq", "noticed_at")
    open_table(Attendance, insert=True, update=told)
    open_table(Wake, insert=True, update=("outcome", "detail", "settled_at"))
    open_table(Ticket, hidden=("digest",), insert=True, update=("read_seq", "used_at"))
    word_indexes.add(sqlite.INDEX.table, sqlite.INDEX)
