"""The index of words on SQLite: an FTS5 table kept by triggers.

A row's number holds account and message number, so that a search runs through its own account's part of each word's list,
newest first, and never touches a neighbour's. The table keeps no text and no positions (`content=''`, `detail=none`).
"""

import sqlite3
from contextlib import closing
from itertools import islice

from django.db import connection

from chat.search.words import PREFIX_LENGTH, begins_a_word

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
_MERGING = {"automerge": 8, "crisismerge": 64}
"""The work of merging is spread over more posts than by default: the longest hold of a post is halved."""
_WITHIN = f"{{0}}.seq <= {MOST_SEQ} AND {{0}}.account_id <= {_ACCOUNT_MOST}"
_ROWID = f"({{0}}.account_id << {SEQ_BITS}) | {{0}}.seq"
_TEXT = "{0}.body || ' ' || {0}.topic || ' ' || {0}.session_name"
_ADD = f"INSERT INTO chat_message_words (rowid, words) SELECT {_ROWID}, {_TEXT} WHERE {_WITHIN};".replace("{0}", "new")
_REMOVE = (
    f"INSERT INTO chat_message_words (chat_message_words, rowid, words) SELECT 'delete', {_ROWID}, {_TEXT} WHERE {_WITHIN};"
).replace("{0}", "old")
TABLE = (
    f"""CREATE VIRTUAL TABLE chat_message_words USING fts5 (
        words, content='', detail=none, columnsize=0, prefix='{PREFIX_LENGTH}', tokenize="{TOKENIZER}"
    )""",
    *(
        f"INSERT INTO chat_message_words (chat_message_words, rank) VALUES ('{name}', {value})"  # noqa: S608 -- our constants
        for name, value in _MERGING.items()
    ),
)
TRIGGERS = (
    f"CREATE TRIGGER chat_message_words_insert AFTER INSERT ON chat_message BEGIN {_ADD} END",
    f"CREATE TRIGGER chat_message_words_delete AFTER DELETE ON chat_message BEGIN {_REMOVE} END",
    f"""CREATE TRIGGER chat_message_words_update AFTER UPDATE OF account_id, seq, body, topic, session_name ON chat_message
        BEGIN {_REMOVE} {_ADD} END""",
)
"""They go when a migration remakes `chat_message`, as SQLite must for some changes: it has to make them again."""
_ALL = f"SELECT {_ROWID}, {_TEXT} FROM chat_message m WHERE {_WITHIN}".replace("{0}", "m")  # noqa: S608 -- our constants
FILL = f"INSERT INTO chat_message_words (rowid, words) {_ALL}"
INSTALL = (*TABLE, *TRIGGERS, FILL)
REMOVE = (
    "DROP TRIGGER IF EXISTS chat_message_words_update",
    "DROP TRIGGER IF EXISTS chat_message_words_delete",
    "DROP TRIGGER IF EXISTS chat_message_words_insert",
    "DROP TABLE IF EXISTS chat_message_words",
)
_MATCHING = "chat_message_words MATCH %s AND chat_message_words.rowid BETWEEN %s AND %s"
_FIND = f"SELECT rowid & {MOST_SEQ} FROM chat_message_words WHERE {_MATCHING} ORDER BY rowid DESC LIMIT %s"  # noqa: S608
_CANDIDATES = f"""
    SELECT m.seq, m.body || ' ' || m.topic || ' ' || m.session_name AS said
    FROM chat_message_words CROSS JOIN chat_message m
    WHERE {_MATCHING} AND m.account_id = %s AND m.seq = chat_message_words.rowid & {MOST_SEQ}
        AND (said LIKE %s OR length(said) < length(CAST(said AS BLOB)))
    ORDER BY chat_message_words.rowid DESC
"""  # noqa: S608


def words_of(text: str) -> list[str]:
    """The words of `text` as the index holds them, in their order."""
    with closing(sqlite3.connect(":memory:")) as scratch:
        scratch.execute(f'CREATE VIRTUAL TABLE given USING fts5 (text, tokenize="{TOKENIZER}")')
        scratch.execute("CREATE VIRTUAL TABLE heard USING fts5vocab (given, instance)")
        scratch.execute("INSERT INTO given (text) VALUES (?)", [text])
        return [word for (word,) in scratch.execute("SELECT term FROM heard ORDER BY offset")]


def find(account_id: int, words: list[str], *, before: int, count: int) -> list[int]:
    """The `count` highest numbers below `before` of messages that hold all `words`, the last one at least as a beginning."""
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
    low = account_id << SEQ_BITS
    return low, low | (min(before, MOST_SEQ + 1) - 1)


def _all(words: list[str]) -> str:
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
