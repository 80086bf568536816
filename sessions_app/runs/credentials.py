"""The token by which a run's agent acts as its session: dead with the run."""

import hashlib
import secrets

from accounts.bearer import speaker_key
from core import news
from sessions_app.models import Run

PREFIX = "tr-"


def fresh() -> tuple[str, str]:
    """A token nobody can guess, and the SHA-256 that is kept of it."""
    token = PREFIX + secrets.token_urlsafe(32)
    return token, hashlib.sha256(token.encode()).hexdigest()


def forget(run: Run) -> None:
    """What processes remember of the run's token is forgotten, now that the database no longer knows it."""
    news.publish_on_commit(speaker_key(run.session_id))
