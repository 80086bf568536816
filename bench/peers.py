"""Accounts whose agents hand work to one another, made by rows."""

from typing import Any

from bench import stage


def people(count: int, *, connections: int, **settings: Any) -> list[stage.Person]:
    """As `stage.people`, with what an account has of sessions: its settings and the agent `main`. No chain is held."""
    from core import clock
    from sessions_app.models import Agent, SessionSettings

    made = stage.people(count, connections=connections)
    kept = {"chain_budget": 1_000_000, **settings}
    SessionSettings.objects.bulk_create(SessionSettings(account_id=each.account_id, **kept) for each in made)
    Agent.objects.bulk_create(Agent(account_id=each.account_id, slug="main", created_at=clock.now()) for each in made)
    return made


def sessions(account_id: int, count: int, *, name: str = "agent:main:slack:group:g") -> list[Any]:
    """That many sessions of an account, one a second, the last one the newest."""
    import uuid
    from datetime import timedelta

    from core import clock
    from sessions_app.models import Session

    now = clock.now()
    rows = (
        Session(
            account_id=account_id, key=f"{name}{each}", session_id=uuid.uuid4(), agent="main", kind="group", channel="slack",
            created_at=now, updated_at=now - timedelta(seconds=count - each),
        )
        for each in range(count)
    )  # fmt: skip
    return list(Session.objects.bulk_create(rows, batch_size=1_000))


def entries(session: Any, count: int, text: str) -> None:
    """A transcript of that many messages, asked and answered in turn."""
    from core import clock
    from sessions_app.models import Entry, Session

    now = clock.now()
    rows = (
        Entry(
            account_id=session.account_id, session=session, session_id_kept=session.session_id, seq=seq, created_at=now,
            role="user" if seq % 2 else "assistant",
            message={"role": "user" if seq % 2 else "assistant", "content": text},
        )
        for seq in range(1, count + 1)
    )  # fmt: skip
    Entry.objects.bulk_create(rows, batch_size=1_000)
    Session.objects.filter(pk=session.pk).update(last_seq=count)
