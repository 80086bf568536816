"""Long histories, written straight into the table: what is measured is reading and pruning them."""

DAYS_OLD = 400
_FILL = """
    INSERT INTO chat_message (account_id, seq, topic, body, body_bytes, session_name, connection_id, handle, author,
                              thread, mentions, created_at)
    WITH RECURSIVE numbers(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM numbers WHERE seq < %(count)s)
    SELECT %(account)s, seq, 'work/' || (seq %% 10), %(body)s, %(size)s, 'bench', 'c-' || (seq %% 50), '', 'c-' || (seq %% 50),
           seq, '[]', datetime('now', '-' || (%(count)s - seq) || ' seconds',
                               CASE WHEN seq <= %(old)s THEN %(ago)s ELSE '0 days' END)
    FROM numbers
"""


def fill(account_id: int, count: int, *, old: int = 0, body: str = "x" * 200) -> None:
    """Give an account's chat `count` messages, one a second, of 50 authors; the first `old` are past any retention.

    The account must be young: all messages but the old ones are at most `count` seconds of age. SQLite's own dialect.
    """
    from django.db import connection

    from chat.models import Counter

    with connection.cursor() as cursor:
        given: dict[str, int | str] = {
            "account": account_id,
            "count": count,
            "old": old,
            "body": body,
            "size": len(body),
            "ago": f"-{DAYS_OLD} days",
        }
        cursor.execute(_FILL, given)
    Counter.objects.filter(account_id=account_id).update(last_seq=count, stored_bytes=count * len(body))
