"""The index of words on SQLite: an FTS5 table kept by triggers.

A row's number holds account and message number, so that a search runs through its own account's part of each word's list,
newest first, and never touches a neighbour's. The table keeps no text and no positions (`content=''`, `detail=none`).

To index each message by itself would make a post's part in the database twice as long. So they are taken in by the score:
the table holds exactly those numbered up to their account's mark, and a post `AT_ONCE` beyond it moves the mark and brings
all since. The few that are newer are read by the search itself.
"""

import sqlite3
from contextlib import closing
from itertools import islice

from django.db import connection

from chat.search.words import PREFIX_LENGTH, begins_a_word
from core.agent_door.rights import WordIndex

INDEX = WordIndex(table="chat_message_words", marks="chat_message_words_mark", trigger="chat_message_words_insert")

AT_ONCE = 64
SEQ_BITS = 40
MOST_SEQ = (1 << SEQ_BITS) - 1
"""Messages numbered higher (or of an account numbered beyond 2^23) are kept and read, but not found by words."""
_ACCOUNT_MOST = (1 << (63 - SEQ_BITS)) - 1
_SIGN_BLOCKS = (
    (0x2066, 0x206A), (0x20BA, 0x20D0), (0x23F4, 0x2400), (0x2700, 0x2701), (0x2B4D, 0x2C00), (0x2E3C, 0x2E80), (0xFE00, 0xFE10),
    (0x1F0B0, 0x1F100), (0x1F10D, 0x1F110), (0x1F16A, 0x1FB00),
)  # fmt: skip
_SIGNS = "".join(chr(code) for begin, end in _SIGN_BLOCKS for code in range(begin, end))
"""Signs and pictures newer than the tables of FTS5, which takes what it does not know for letters."""
TOKENIZER = f"unicode61 remove_diacritics 2 categories 'L* N* M*' separators '{_SIGNS}'"


def _rowid(row: str) -> str:
    return f"({row}.account_id << {SEQ_BITS}) | {row}.seq"


def _text(row: str) -> str:
    return f"{row}.body || ' ' || {row}.topic || ' ' || {row}.session_name"


def _mark(row: str) -> str:
    return f"coalesce((SELECT k.seq FROM chat_message_words_mark k WHERE k.account_id = {row}.account_id), 0)"


# ruff: noqa: S608 -- statements are made of the constants above
_KNOWN = f"new.seq <= {MOST_SEQ} AND new.account_id <= {_ACCOUNT_MOST}"
_IS_BEYOND = f"new.seq >= {_mark('new')} + {AT_ONCE}"
_ADD = f"INSERT INTO chat_message_words (rowid, words) SELECT {_rowid('new')}, {_text('new')} WHERE new.seq <= {_mark('new')};"
_ADD_ALL_SINCE = f"""
    INSERT INTO chat_message_words (rowid, words) SELECT {_rowid("m")}, {_text("m")} FROM chat_message m
    WHERE {_IS_BEYOND} AND m.account_id = new.account_id AND m.seq > {_mark("new")} AND m.seq <= new.seq ORDER BY m.seq;
"""
_MOVE_MARK = f"""
    INSERT OR REPLACE INTO chat_message_words_mark (account_id, seq) SELECT new.account_id, new.seq WHERE {_IS_BEYOND};
"""
_REMOVE = f"""
    INSERT INTO chat_message_words (chat_message_words, rowid, words)
    SELECT 'delete', {_rowid("old")}, {_text("old")} WHERE old.seq <= {_mark("old")};
"""
TABLES = (
    """CREATE TABLE chat_message_words_mark (
        account_id integer PRIMARY KEY REFERENCES accounts_account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        seq integer NOT NULL
    )""",
    f"""CREATE VIRTUAL TABLE chat_message_words USING fts5 (
        words, content='', detail=none, columnsize=0, prefix='{PREFIX_LENGTH}', tokenize="{TOKENIZER}"
    )""",
)
TRIGGERS = (
    f"""CREATE TRIGGER chat_message_words_insert AFTER INSERT ON chat_message
        WHEN {_KNOWN} AND (new.seq <= {_mark("new")} OR {_IS_BEYOND}) BEGIN {_ADD} {_ADD_ALL_SINCE} {_MOVE_MARK} END""",
    f"CREATE TRIGGER chat_message_words_delete AFTER DELETE ON chat_message BEGIN {_REMOVE} END",
    f"""CREATE TRIGGER chat_message_words_update AFTER UPDATE OF account_id, seq, body, topic, session_name ON chat_message
        BEGIN {_REMOVE} {_ADD} END""",
)
"""They go when a migration remakes `chat_message`, as SQLite must for some changes: it has to make them again."""
FILL = (
    f"""INSERT INTO chat_message_words_mark (account_id, seq) SELECT account_id, max(seq) FROM chat_message
        WHERE seq <= {MOST_SEQ} AND account_id <= {_ACCOUNT_MOST} GROUP BY account_id""",
    f"""INSERT INTO chat_message_words (rowid, words) SELECT {_rowid("m")}, {_text("m")} FROM chat_message m
        WHERE m.seq <= {_mark("m")} ORDER BY m.account_id, m.seq""",
)
INSTALL = (*TABLES, *TRIGGERS, *FILL)
REMOVE = (
    "DROP TRIGGER IF EXISTS chat_message_words_update",
    "DROP TRIGGER IF EXISTS chat_message_words_delete",
    "DROP TRIGGER IF EXISTS chat_message_words_insert",
    "DROP TABLE IF EXISTS chat_message_words",
    "DROP TABLE IF EXISTS chat_message_words_mark",
)
_MATCHING = "chat_message_words MATCH %s AND chat_message_words.rowid BETWEEN %s AND %s"
_FIND = f"SELECT rowid & {MOST_SEQ} FROM chat_message_words WHERE {_MATCHING} ORDER BY rowid DESC LIMIT %s"
_CANDIDATES = f"""
    SELECT m.seq, {_text("m")} AS said
    FROM chat_message_words CROSS JOIN chat_message m
    WHERE {_MATCHING} AND m.account_id = %s AND m.seq = chat_message_words.rowid & {MOST_SEQ}
        AND (said LIKE %s OR length(said) < length(CAST(said AS BLOB)))
    ORDER BY chat_message_words.rowid DESC
"""
_NEWER = f"SELECT m.seq, {_text('m')} FROM chat_message m WHERE m.account_id = %s AND m.seq > %s AND m.seq < %s"


def words_of(text: str) -> list[str]:
    """The words of `text` as the index holds them, in their order."""
    with closing(_scratch([(1, text)])) as scratch:
        scratch.execute("CREATE VIRTUAL TABLE heard USING fts5vocab (given, instance)")
        return [word for (word,) in scratch.execute("SELECT term FROM heard ORDER BY offset")]


def find(account_id: int, words: list[str], *, before: int, count: int) -> list[int]:
    """The `count` highest numbers below `before` of messages that hold all `words`, the last one at least as a beginning."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq FROM chat_message_words_mark WHERE account_id = %s", [account_id])
        (mark,) = cursor.fetchone() or (0,)
        cursor.execute(_NEWER, [account_id, mark, min(before, MOST_SEQ + 1)])
        found = _among(cursor.fetchall(), words)[:count]
    if len(found) < count:
        found += _indexed(account_id, words, min(before, mark + 1), count - len(found))
    return found


def _among(texts: list[tuple[int, str]], words: list[str]) -> list[int]:
    """Those of a few messages that hold the words, newest first, by an index made for the moment."""
    *others, last = words
    beginning = " *" if len(last) >= PREFIX_LENGTH else ""
    with closing(_scratch(texts)) as scratch:
        query = f"{_all(others)} {_quoted(last)}{beginning}"
        return [seq for (seq,) in scratch.execute("SELECT rowid FROM given WHERE given MATCH ? ORDER BY rowid DESC", [query])]


def _scratch(texts: list[tuple[int, str]]) -> sqlite3.Connection:
    scratch = sqlite3.connect(":memory:")
    scratch.execute(f'CREATE VIRTUAL TABLE given USING fts5 (text, tokenize="{TOKENIZER}")')
    scratch.executemany("INSERT INTO given (rowid, text) VALUES (?, ?)", texts)
    return scratch


def _indexed(account_id: int, words: list[str], before: int, count: int) -> list[int]:
    *others, last = words
    if len(last) == PREFIX_LENGTH:
        return _find(account_id, f"{_all(others)} {_quoted(last)} *", before, count)
    found = set(_find(account_id, _all(words), before, count))
    if len(last) > PREFIX_LENGTH:
        found.update(_beginning(account_id, others, last, before, count))
    return sorted(found, reverse=True)[:count]


def _find(account_id: int, query: str, before: int, count: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [query, *_part(account_id, before), count])
        return [seq for (seq,) in cursor.fetchall()]


def _beginning(account_id: int, others: list[str], last: str, before: int, count: int) -> list[int]:
    """The index knows beginnings of `PREFIX_LENGTH` alone; which of those messages fit is seen by their text."""
    query = f"{_all(others)} {_quoted(last[:PREFIX_LENGTH])} *"
    with connection.cursor() as cursor:
        cursor.execute(_CANDIDATES, [query, *_part(account_id, before), account_id, f"%{last}%"])
        return list(islice((seq for seq, said in cursor if begins_a_word(last, said)), count))


def _part(account_id: int, before: int) -> tuple[int, int]:
    """The first and the last row number of an account's messages below `before`."""
    low = account_id << SEQ_BITS
    return low, low | (before - 1) if before else low - 1


def _all(words: list[str]) -> str:
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
