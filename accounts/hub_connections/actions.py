"""A connection that no client authorized: the hub's own sessions of one account, so that the owner sees and revokes them too."""

import secrets
import uuid

from django.db import transaction

from accounts.models import Account, Connection
from accounts.news import connections_key
from audit.actions import record
from core import clock, news
from core.actor import system

NAME = "Hub sessions"


@transaction.atomic
def open_hub_connection(account_id: int) -> Connection:
    """A new connection of the account for what the hub runs itself; it has no tokens of the authorization server."""
    account = Account.objects.get(pk=account_id)
    made = Connection.objects.create(
        id=f"c-{secrets.token_hex(8)}",
        account=account,
        user_id=account.owner_id,
        application=None,
        client_name=NAME,
        token_family=uuid.uuid4(),
        scopes="mcp",
        created_at=clock.now(),
    )
    actor = system(account_id=account_id)
    record(actor, "connection.opened", target=made.pk, label=NAME, account_id=account_id, scopes=made.scopes)
    news.publish_on_commit(connections_key(account_id))
    return made
