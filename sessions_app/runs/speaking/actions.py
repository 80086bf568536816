"""The connection by which the account's hub-run sessions speak."""

from django.db import transaction

from accounts.hub_connections.actions import open_hub_connection
from sessions_app.models import SessionSettings


def ensure_connection(account_id: int) -> None:
    """See that the account has one; part of the deed that gives a run its token. One that was revoked stays so, and no run of
    the account reaches the hub until its owner saves an agent again."""
    kept = SessionSettings.objects.filter(pk=account_id)
    if kept.filter(hub_connection=None).exists():
        with transaction.atomic():
            if kept.select_for_update().filter(hub_connection=None).exists():
                kept.update(hub_connection=open_hub_connection(account_id))
