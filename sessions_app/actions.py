"""What happens to an account's sessions as a whole."""

from typing import Any

from django.db.models import QuerySet

from accounts.models import Account
from accounts.permissions import may_administer
from core import clock
from core.actor import Actor
from core.errors import Forbidden
from sessions_app.models import Agent, SessionSettings


def open_sessions(account: Account) -> None:
    """Give a new account its settings and its agent `main`; part of the deed that made it, and recorded there."""
    SessionSettings.objects.create(account=account)
    Agent.objects.create(account=account, slug="main", name="Main", created_at=clock.now())


def remove_rows(actor: Actor, rows: QuerySet[Any]) -> int:
    """Delete these rows, past their time; for the clean-up alone. Answers how many."""
    if not may_administer(actor):
        raise Forbidden("Only the hub's clean-up removes what is past its time.")
    before = rows.count()
    rows.delete()
    return before
