"""The index of words on PostgreSQL: GIN over a `tsvector` whose words carry their account's number, `12:review`.

So a search touches its own account's words alone, and a beginning finds them too. PostgreSQL's parser is left out: it
takes `docs/review` for one word. The functions call none of ours, so that a dump is restored without a search path; and they
are PL/pgSQL, which plans them once a session: as plain SQL they were planned anew for each post, a millisecond.
"""

import unicodedata
from collections.abc import Callable, Iterator

from django.db import connection

from chat.search.words import MOST_PILED, PREFIX_LENGTH, is_part_of_a_word

WORD_LENGTH = 100
TEXT_LENGTH = 100_000
"""Characters of a word that count, and of a message: a `tsvector` has bounds, and no post may fail by them."""


def _ranges(belongs: Callable[[str], object]) -> Iterator[str]:
    """The characters that belong, as ranges of a regular expression; codes without a character go with those before."""
    begin = end = 0
    within = False
    for code in range(1, 0x110000):
        character = chr(code)
        if unicodedata.category(character) in {"Cn", "Cs"}:
            continue
        if not belongs(character):
            if within:
                yield f"\\U{begin:08x}-\\U{end:08x}"
            within = False
        elif not within:
            within, begin, end = True, code, code
        else:
            end = code
    if within:
        yield f"\\U{begin:08x}-\\U{end:08x}"


def _splitting() -> str:
    """Statements that fold the variable `said` and put one blank between its words, as `chat.search.words` has it."""
    mark = f"[{''.join(_ranges(unicodedata.combining))}]"
    between = f"[{''.join(_ranges(lambda character: not is_part_of_a_word(character)))}]+"
    return f"""
        IF octet_length(said) = length(said) THEN
            said := lower(said);
        ELSE
            IF octet_length(said) - length(said) > {MOST_PILED} THEN
                said := regexp_replace(said, '({mark}{{{MOST_PILED}}}){mark}+', '\\1', 'g');
            END IF;
            said := lower(normalize(regexp_replace(normalize(said, NFD), '([A-Za-z])[\\u0300-\\u036f]+', '\\1', 'g'), NFC));
        END IF;
        said := regexp_replace(said, '{between}', ' ', 'g');
        said := trim(regexp_replace(said, '([^ ]{{{WORD_LENGTH}}})[^ ]+', '\\1', 'g'));
    """


def install() -> tuple[str, ...]:
    """The statements that make the index."""
    return (
        f"""CREATE FUNCTION chat_words(said text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $function$
        BEGIN {_splitting()} RETURN string_to_array(said, ' '); END $function$""",
        f"""CREATE FUNCTION chat_lexemes(account_id bigint, body text, topic text, session_name text) RETURNS tsvector
        LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT COST 2000 AS $function$
        DECLARE said text := left(body, {TEXT_LENGTH}) || ' ' || topic || ' ' || session_name; mine text := account_id || ':';
        BEGIN {_splitting()}
            RETURN array_to_tsvector(string_to_array(mine || replace(said, ' ', ' ' || mine), ' '));
        END $function$""",
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
        words: list[str] = cursor.fetchone()[0]
    return words


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
