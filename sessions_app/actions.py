"""Everything that changes what an owner decides about sessions."""

from accounts.models import Account
from core import clock
from sessions_app.models import Agent, SessionSettings


def open_sessions(account: Account) -> None:
    """Give a new account its settings and its agent `main`; part of the deed that made it, and recorded there."""
    SessionSettings.objects.create(account=account)
    Agent.objects.create(account=account, slug="main", name="Main", created_at=clock.now())
