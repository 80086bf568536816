"""Tokens made straight in the database, for tests of what holds them; `driver` gets them the way a client does."""

import secrets
import uuid
from datetime import datetime, timedelta

from django.utils import timezone
from oauth2_provider.models import AccessToken, RefreshToken

from accounts.models import Connection
from tests import make

RESOURCE = "http://127.0.0.1:8760/mcp"


def token(
    who: make.Person, *, scopes: str = "mcp", resource: list[str] | None = None, expires: datetime | None = None
) -> tuple[str, Connection]:
    """An access token of `who` and the connection it belongs to."""
    connection = make.connection(who, scopes=scopes)
    raw = secrets.token_urlsafe(24)
    access = AccessToken(
        user=who.user,
        application=connection.application,
        scope=scopes,
        expires=expires or timezone.now() + timedelta(hours=1),
        resource=[RESOURCE] if resource is None else resource,
    )
    access._raw_token = raw
    access.save()
    refresh = RefreshToken(
        user=who.user, application=connection.application, access_token=access, token_family=connection.token_family
    )
    refresh._raw_token = f"refresh-{uuid.uuid4()}"
    refresh.save()
    return raw, connection
