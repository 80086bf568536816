"""Long histories, written straight into the table: what is measured is reading and pruning them."""

from datetime import timedelta

BATCH = 20_000


def fill(account_id: int, count: int, *, old: int = 0, body: str = "x" * 200) -> None:
    """Give an account's chat `count` messages in ten topics, of which the first `old` are past any retention."""
    from django.utils import timezone

    from chat.models import Counter, Message

    now = timezone.now()
    long_ago = now - timedelta(days=400)
    for start in range(1, count + 1, BATCH):
        Message.objects.bulk_create(
            Message(
                account_id=account_id, seq=seq, topic=f"work/{seq % 10}", body=body, body_bytes=len(body), session_name="bench",
                author=f"c-{seq % 50:016x}", connection_id=f"c-{seq % 50:016x}", thread=seq,
                created_at=long_ago + timedelta(seconds=seq) if seq <= old else now - timedelta(seconds=count - seq),
            )
            for seq in range(start, min(start + BATCH, count + 1))
        )  # fmt: skip
    Counter.objects.filter(account_id=account_id).update(last_seq=count, stored_bytes=count * len(body))
