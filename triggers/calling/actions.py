"""Signing in to push servers, and calls of their tools."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts.permissions import require_owner
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.batches import remove_in_batches
from core.errors import Conflict, Invalid, NotFound
from sessions_app.models import Run
from triggers.calling.signing import flow
from triggers.calling.signing.keeping import opened
from triggers.models import PushServer, ToolCall
from triggers.news import servers_key

T = TypeVar("T")
CHALLENGE_LENGTH = 1000
ID_LENGTH = 500
KEPT_CALLS = timedelta(days=1)
BATCH = 500


def begin_sign_in(actor: Actor, server_id: int, *, client_id: str = "", client_secret: str = "") -> flow.Begun:
    """Ask a push server where its owner signs in; writes nothing. A client id only where the service's own people gave one.

    Raises NotFound, Forbidden (not the owner), Invalid, Unreached.
    """
    held = _own(actor, server_id)
    client_id, client_secret = client_id.strip(), client_secret.strip()
    if len(client_id) > ID_LENGTH or len(client_secret) > ID_LENGTH or (client_secret and not client_id):
        raise Invalid(_("Give a client id, and a secret only with it."))
    kept = opened(held.sign_in_encrypted)
    return _now(flow.begin(held.pk, held.url, held.challenge, kept, client_id, client_secret))


def finish_sign_in(actor: Actor, sealed: str | None, returned: flow.Returned) -> PushServer:
    """Keep what an owner brought back from the sign-in service; its listener connects again at once.

    `sealed` is the pending sign-in that his session kept. Raises Gone (too late, another browser), NotFound, Forbidden, Invalid,
    Refused, Unreached, Conflict (the server's address was changed meanwhile).
    """
    pending = flow.opened(sealed, returned.state)
    _own(actor, pending.server_id)
    signing = _now(flow.finish(pending, returned))
    with transaction.atomic():
        held = _own(actor, pending.server_id)
        if held.url != signing.server_url:
            raise Conflict(_("The address of this push server was changed meanwhile; begin again."))
        held.sign_in_encrypted, held.challenge = signing.sealed(), ""
        held.version = F("version") + 1
        held.state, held.reason, held.state_at = PushServer.WAITING if held.enabled else PushServer.OFF, "", clock.now()
        held.save(update_fields=["sign_in_encrypted", "challenge", "version", "state", "reason", "state_at"])
        held.refresh_from_db(fields=["version"])
        record(
            actor,
            "push_server.signed_in",
            target=f"push_server:{held.name}",
            label=held.name,
            account_id=held.account_id,
            issuer=signing.issuer[:ID_LENGTH],
            scope=signing.scope,
        )
        news.publish_on_commit(servers_key(held.account_id))
    return held


def replace_sign_in(server_id: int, was: bytes, becomes: bytes) -> bool:
    """Put a sealed sign-in in the place of that one; False where somebody was there first. For the hub's own renewing."""
    held = PushServer.objects.filter(pk=server_id, sign_in_encrypted=was)
    return bool(held.update(sign_in_encrypted=becomes))


@transaction.atomic
def note_challenge(server: PushServer, challenge: str) -> None:
    """Keep how a server refused the hub (`WWW-Authenticate`), for the owner's next sign-in; not where he changed it since, for
    then it may be another one that is to say where he signs in."""
    said = "".join(each for each in challenge[:CHALLENGE_LENGTH] if each.isprintable())
    as_it_was = PushServer.objects.filter(pk=server.pk, version=server.version)
    if as_it_was.exclude(challenge=said).update(challenge=said):
        news.publish_on_commit(servers_key(server.account_id))


def begin_call(run: Run, server_id: int) -> int:
    """Note that a run calls a tool of the server now; the number of that call."""
    call = ToolCall.objects.create(
        account_id=run.account_id, server_id=server_id, run_id=run.pk, chain_id=run.chain_id, began_at=clock.now()
    )
    return int(call.pk)


def end_call(call_id: int) -> None:
    """Note that the call has ended, whatever came of it."""
    ToolCall.objects.filter(pk=call_id).update(ended_at=clock.now())


def forget_calls(*, actor: Actor, dry_run: bool, progress: Callable[[int], None]) -> int:
    """Remove calls whose echoes are long over; see `core.registry.Pruning`."""
    old = ToolCall.objects.filter(began_at__lt=clock.now() - KEPT_CALLS)
    return remove_in_batches(
        old, lambda keys: ToolCall.objects.filter(pk__in=keys).delete()[0], size=BATCH, dry_run=dry_run, progress=progress
    )


def _own(actor: Actor, server_id: int) -> PushServer:
    own = PushServer.objects.visible_to(actor).filter(account_id=require_owner(actor), pk=server_id)
    held: PushServer | None = own.exclude(transport=PushServer.STDIO).first()
    if held is None:
        raise NotFound(_("No such push server with an address; look it up in the list of push servers."))
    return held


def _now(work: Coroutine[Any, Any, T]) -> T:
    """Wait for requests of a sign-in, in the thread of a page."""
    return asyncio.run(work)
