"""What an owner does about push servers. Listeners hear of it by the news and by each server's `version`."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts.permissions import require_owner
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.addresses import check_outbound
from core.errors import Conflict, DomainError, NotFound, StorageFull
from sessions_app.redaction import redact
from sessions_app.runners.actions import require_commands
from triggers.models import PushServer, Webhook
from triggers.news import servers_key
from triggers.servers import transfer
from triggers.servers.drafts import STDIO, ServerDraft, check_server, origin, tidy_channels
from triggers.servers.sealed import sealed

T = TypeVar("T")
MOST_SERVERS = 200
"""Of one account: each is a connection that is held open."""


def save_server(actor: Actor, draft: ServerDraft) -> PushServer:
    """Make or change the push server of this name.

    Headers and environment are sealed and never shown again; another origin gets neither the headers nor the sign-in that were
    given for the one before. Raises Forbidden (not the owner; stdio without leave to run commands), Invalid (also for a
    private address, unless the hub allows those), Conflict (a webhook has the name), StorageFull.
    """
    account_id = require_owner(actor)
    _check(account_id, draft)
    with transaction.atomic():
        return _keep(actor, account_id, draft)


def import_servers(actor: Actor, text: str) -> list[PushServer]:
    """Make or change every server that the JSON names, or none; others stay. Raises as `save_server`, naming the server."""
    account_id = require_owner(actor)
    kept = {each.name: each for each in _servers(actor)}
    drafts = [transfer.completed(draft, kept.get(draft.name)) for draft in transfer.drafts(text)]
    for draft in drafts:
        _named(draft, lambda draft: _check(account_id, draft))
    with transaction.atomic():
        return [_named(draft, lambda draft: _keep(actor, account_id, draft)) for draft in drafts]


def export_servers(actor: Actor) -> str:
    """The account's servers as the JSON that `import_servers` takes; without headers, variables or sign-in."""
    require_owner(actor)
    return transfer.written(_servers(actor))


@transaction.atomic
def remove_server(actor: Actor, name: str) -> None:
    """Forget a push server with its headers and its sign-in; what it pushed stays. Raises NotFound, Forbidden."""
    held = _locked(actor, name)
    held.delete()
    _tell(actor, held, "push_server.removed")


@transaction.atomic
def set_enabled(actor: Actor, name: str, enabled: bool) -> PushServer:
    """Listen to it, or no longer. Raises NotFound, Forbidden (stdio without leave to run commands)."""
    held = _locked(actor, name)
    if held.enabled == enabled:
        return held
    if enabled and held.transport == STDIO:
        require_commands(held.account_id)
    _change(held, enabled=enabled, **_state(enabled))
    _tell(actor, held, "push_server.switched_on" if enabled else "push_server.switched_off")
    return held


@transaction.atomic
def request_refresh(actor: Actor, name: str) -> PushServer:
    """Have its listener fetch its list of tools anew. Raises NotFound, Forbidden, Conflict (it is switched off)."""
    held = _locked(actor, name)
    _require_enabled(held)
    held.refresh_asked_at = clock.now()
    held.save(update_fields=["refresh_asked_at"])
    _tell(actor, held, "push_server.refresh_asked")
    return held


@transaction.atomic
def connect_again(actor: Actor, name: str) -> PushServer:
    """Have its listener connect anew at once, however long it would have waited. Raises NotFound, Forbidden, Conflict."""
    held = _locked(actor, name)
    _require_enabled(held)
    _change(held)
    _tell(actor, held, "push_server.reconnect_asked")
    return held


@transaction.atomic
def forget_sign_in(actor: Actor, name: str) -> PushServer:
    """Sign the hub out of it: the tokens it holds for that server go. Raises NotFound, Forbidden."""
    held = _locked(actor, name)
    _change(held, sign_in_encrypted=None)
    _tell(actor, held, "push_server.signed_out")
    return held


def _check(account_id: int, draft: ServerDraft) -> None:
    check_server(draft)
    if draft.transport == STDIO:
        require_commands(account_id)
    else:
        check_outbound(draft.url)


def _named(draft: ServerDraft, deed: Callable[[ServerDraft], T]) -> T:
    """A refusal that says which server of a file it is about."""
    try:
        return deed(draft)
    except DomainError as error:
        raise type(error)(f'server "{draft.name}": {error.detail}', code=error.code) from None


def _servers(actor: Actor) -> list[PushServer]:
    return list(PushServer.objects.visible_to(actor).filter(account_id=actor.account_id))


def _locked(actor: Actor, name: str) -> PushServer:
    require_owner(actor)
    own = PushServer.objects.visible_to(actor).filter(account_id=actor.account_id, name=name)
    held: PushServer | None = own.select_for_update().first()
    if held is None:
        raise NotFound(_("No such push server; look it up in the list of push servers."))
    return held


def _require_enabled(held: PushServer) -> None:
    if not held.enabled:
        raise Conflict(_("This push server is switched off; switch it on first."))


def _keep(actor: Actor, account_id: int, draft: ServerDraft) -> PushServer:
    own = PushServer.objects.visible_to(actor).filter(account_id=account_id)
    held: PushServer | None = own.filter(name=draft.name).select_for_update().first()
    if held is None:
        held = _made(account_id, draft, own.count())
        deed = "push_server.added"
    else:
        _change(held, **_columns(draft), **_of_the_old_target(held, draft))
        deed = "push_server.changed"
    _tell(actor, held, deed, transport=held.transport, enabled=held.enabled, address=_shown_target(held))
    return held


def _made(account_id: int, draft: ServerDraft, others: int) -> PushServer:
    if others >= MOST_SERVERS:
        raise StorageFull(_("An account has at most %(most)d push servers; remove one first.") % {"most": MOST_SERVERS})
    if Webhook.objects.filter(account_id=account_id, name=draft.name).exists():
        raise Conflict(_("A webhook has this name; give the push server another one."))
    try:
        with transaction.atomic():
            return PushServer.objects.create(
                account_id=account_id,
                name=draft.name,
                created_at=clock.now(),
                **{**_columns(draft), **_state(draft.enabled)},
            )
    except IntegrityError:
        raise Conflict(_("A push server of this name was added this moment; look at it in the list.")) from None


def _columns(draft: ServerDraft) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "transport": draft.transport,
        "url": draft.url,
        "argv": list(draft.argv),
        "enabled": draft.enabled,
        "channels": tidy_channels(draft.channels),
        "refresh_tools": draft.refresh_tools,
    }
    if draft.headers is not None:
        columns["headers_encrypted"] = sealed(draft.headers)
    if draft.environment is not None:
        columns["environment_encrypted"] = sealed(draft.environment)
    return columns


def _of_the_old_target(held: PushServer, draft: ServerDraft) -> dict[str, Any]:
    """What is forgotten with what it was given by, or given to."""
    changes: dict[str, Any] = _state(draft.enabled) if held.enabled != draft.enabled else {}
    if (held.transport, held.url, held.argv) != (draft.transport, draft.url, list(draft.argv)):
        changes |= {"session_id": "", "last_event_id": "", "tools": [], "tools_at": None}
    if origin(held.url) != origin(draft.url):
        changes["sign_in_encrypted"] = None
        if draft.headers is None:
            changes["headers_encrypted"] = None
    if draft.transport != STDIO:
        changes["environment_encrypted"] = None
    return changes


def _change(held: PushServer, **columns: Any) -> None:
    """Write the columns, and a version that no other change has given; how the server refused before counts no more."""
    for name, value in {**columns, "challenge": ""}.items():
        setattr(held, name, value)
    held.version = F("version") + 1
    held.save(update_fields=[*columns, "challenge", "version"])
    held.refresh_from_db(fields=["version"])


def _state(enabled: bool) -> dict[str, Any]:
    return {"state": PushServer.WAITING if enabled else PushServer.OFF, "reason": "", "state_at": clock.now()}


def _shown_target(held: PushServer) -> str:
    """Where it is, without what may be a secret: no query of an address, no argument of a program."""
    return redact(held.url.partition("?")[0])[0] if held.url else str(held.argv[0])


def _tell(actor: Actor, held: PushServer, deed: str, **details: Any) -> None:
    target = f"push_server:{held.name}"
    record(actor, deed, target=target, label=held.name, account_id=held.account_id, **details)
    news.publish_on_commit(servers_key(held.account_id))
