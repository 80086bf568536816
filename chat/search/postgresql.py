"""The index of words on PostgreSQL: GIN over a `tsvector` whose words carry their account's number, `12:review`.

So a search touches its own account's words alone, and a beginning finds them too. PostgreSQL's parser is left out: it
takes `docs/review` for one word. The functions are plain expressions, bound when made: safe in a dump and its restore.
"""

import unicodedata
from collections.abc import Iterator

from django.db import connection

from chat.search.words import PREFIX_LENGTH, is_part_of_a_word

WORD_LENGTH = 100
TEXT_LENGTH = 100_000
"""Characters of a word that count, and of a message: a `tsvector` has bounds, and no post may fail by them."""


def _ranges() -> Iterator[str]:
    """The characters between words, as ranges of a regular expression; codes without a character go with those before."""
    begin = end = 0
    within = False
    for code in range(1, 0x110000):
        character = chr(code)
        if unicodedata.category(character) in {"Cn", "Cs"}:
            continue
        if is_part_of_a_word(character):
            if within:
                yield f"\\U{begin:08x}-\\U{end:08x}"
            within = False
        elif not within:
            within, begin, end = True, code, code
        else:
            end = code
    yield f"\\U{begin:08x}-\\U{end:08x}"


def install() -> tuple[str, ...]:
    """The statements that make the index."""
    folded = "lower(normalize(regexp_replace(normalize(given, NFD), '([A-Za-z])[\\u0300-\\u036f]+', '\\1', 'g'), NFC))"
    between = f"[{''.join(_ranges())}]+"
    return (
        f"""CREATE FUNCTION chat_words(given text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 1000
        RETURN array_remove(regexp_split_to_array({folded}, '{between}'), '')""",
        f"""CREATE FUNCTION chat_lexemes(account_id bigint, body text, topic text, session_name text) RETURNS tsvector
        LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 10000
        RETURN array_to_tsvector(array(
            SELECT account_id || ':' || left(word, {WORD_LENGTH})
            FROM unnest(chat_words(left(body, {TEXT_LENGTH}) || ' ' || topic || ' ' || session_name)) AS word))""",  # noqa: S608 -- our constants
        """CREATE INDEX chat_message_words ON chat_message
        USING gin (chat_lexemes(account_id, body, topic, session_name)) WITH (fastupdate = off)""",
    )


REMOVE = (
    "DROP INDEX IF EXISTS chat_message_words",
    "DROP FUNCTION IF EXISTS chat_lexemes(bigint, text, text, text)",
    "DROP FUNCTION IF EXISTS chat_words(text)",
)
_FIND = """
    SELECT seq FROM chat_message
    WHERE account_id = %s AND seq < %s AND chat_lexemes(account_id, body, topic, session_name) @@ %s::tsquery
    ORDER BY seq DESC LIMIT %s
"""


def words_of(text: str) -> list[str]:
    """The words of `text` as the index holds them, in their order."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT chat_words(%s)", [text])
        return [word[:WORD_LENGTH] for word in cursor.fetchone()[0]]


def find(account_id: int, words: list[str], *, before: int, count: int) -> list[int]:
    """The `count` highest numbers below `before` of messages that hold all `words`, the last one at least as a beginning."""
    terms = [_quoted(f"{account_id}:{word}") for word in words]
    if len(words[-1]) >= PREFIX_LENGTH:
        terms[-1] += ":*"
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [account_id, before, " & ".join(terms), count])
        return [seq for (seq,) in cursor.fetchall()]


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
