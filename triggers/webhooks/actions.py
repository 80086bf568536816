"""What an owner does about webhooks, and what becomes of what they deliver."""

import hashlib
import secrets
from contextlib import suppress
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.permissions import require_owner
from audit.actions import record
from core import clock, news
from core.actor import Actor, system
from core.errors import Conflict, Invalid, NotFound, StorageFull
from core.locks import short_wait
from core.sealing import seal, unseal
from core.text import is_printable
from triggers.inbox.actions import store
from triggers.models import PushServer, Webhook, WebhookDelivery
from triggers.news import servers_key
from triggers.servers.drafts import LONGEST_CHANNEL, check_name
from triggers.values import Arrival
from triggers.webhooks import payloads, signing
from triggers.webhooks.values import (
    BAD_SIGNATURE,
    NO_SIGNATURE,
    NOT_JSON,
    OFF,
    REPLAYED,
    SEALED,
    TOO_OLD,
    Delivery,
    Shown,
)

MOST_WEBHOOKS = 100
PREFIX_LENGTH = 9
NOTED_AGAIN = timedelta(minutes=1)
"""A refusal for the same reason is noted once in this time: whoever knows an address does not make the hub write."""

NOBODY = "There is no such webhook, or it does not take this; check the address and the signature."
_NO_SECRET = secrets.token_urlsafe(32)


class Refused(NotFound):
    """The one answer to an unknown address, a webhook that is off, and a signature that does not fit."""

    def __init__(self) -> None:
        super().__init__(NOBODY)


@transaction.atomic
def make_webhook(actor: Actor, *, name: str, kind: str, channel: str = "") -> Shown:
    """Make a webhook; its address and secret are shown now and never again. Raises Forbidden, Invalid, Conflict, StorageFull."""
    account_id = require_owner(actor)
    check_name(name)
    if kind not in dict(Webhook.KINDS):
        raise Invalid(_("The kind of a webhook is github or generic."))
    own = Webhook.objects.visible_to(actor).filter(account_id=account_id)
    if own.count() >= MOST_WEBHOOKS:
        raise StorageFull(_("An account has at most %(most)d webhooks; remove one first.") % {"most": MOST_WEBHOOKS})
    if PushServer.objects.filter(account_id=account_id, name=name).exists():
        raise Conflict(_("A push server has this name; give the webhook another one."))
    held = Webhook(account_id=account_id, name=name, kind=kind, channel=_channel(channel), created_at=clock.now())
    shown = _renew(held)
    try:
        with transaction.atomic():
            held.save(force_insert=True)
    except IntegrityError:
        raise Conflict(_("You have a webhook of this name; choose another one.")) from None
    _tell(actor, held, "webhook.added", kind=kind)
    return shown


@transaction.atomic
def change_webhook(actor: Actor, name: str, *, channel: str, enabled: bool) -> Webhook:
    """Change its channel, and whether it takes anything. Raises NotFound, Forbidden, Invalid."""
    held = _locked(actor, name)
    held.channel, held.enabled = _channel(channel), enabled
    held.save(update_fields=["channel", "enabled"])
    _tell(actor, held, "webhook.changed", enabled=enabled, channel=held.channel)
    return held


@transaction.atomic
def rotate_webhook(actor: Actor, name: str) -> Shown:
    """Give it a new address and a new secret; the ones before end at once. Raises NotFound, Forbidden."""
    held = _locked(actor, name)
    shown = _renew(held)
    held.save(update_fields=["digest", "prefix", "secret_encrypted"])
    _tell(actor, held, "webhook.rotated")
    return shown


@transaction.atomic
def remove_webhook(actor: Actor, name: str) -> None:
    """Forget it; what it delivered stays in the inbox. Raises NotFound, Forbidden."""
    held = _locked(actor, name)
    remove_deliveries(WebhookDelivery.objects.filter(webhook=held))
    held.delete()
    _tell(actor, held, "webhook.removed")


def deliver(token: str, delivery: Delivery) -> int:
    """Take what was posted to a webhook's address; the number of its push message.

    Raises Refused, which is the same for everything that a stranger could ask; to whom knows the secret Invalid for a body that
    is no JSON, and Conflict for a delivery that was taken before.
    """
    held: Webhook | None = _of(token).first()
    signed, why = _judged(held, delivery)
    if held is None or why:
        _note(held, why)
        raise Refused
    try:
        said = _said(held, delivery)
    except (ValueError, RecursionError):
        _note(held, NOT_JSON)
        raise Invalid("The body is no JSON in UTF-8; send one JSON value.") from None
    return _take(held, token, hashlib.sha256(signed.encode()).hexdigest(), said)


def remove_deliveries(rows: QuerySet[WebhookDelivery]) -> int:
    """Forget deliveries that were taken; answers how many."""
    return rows.delete()[0]


def _judged(held: Webhook | None, delivery: Delivery) -> tuple[str, str]:
    """The right signature, and why the delivery is refused, or nothing. Costs the same for a webhook that is not there."""
    secret, sealed = _secret_of(held)
    if held is not None and held.kind == Webhook.GITHUB:
        given, signed, fresh = delivery.github_signature, delivery.body, True
    else:
        given, signed = delivery.signature, signing.timed(delivery.timestamp, delivery.body)
        fresh = signing.is_fresh(delivery.timestamp, clock.now().timestamp())
    fits = signing.fits(secret, signed, given)
    if sealed:
        return "", SEALED
    if not given:
        return "", NO_SIGNATURE
    if not fits:
        return "", BAD_SIGNATURE
    if not fresh:
        return "", TOO_OLD
    return signing.signature(secret, signed), "" if held is not None and held.enabled else OFF


def _secret_of(held: Webhook | None) -> tuple[str, bool]:
    """What its deliveries are signed with, and whether no key of the hub opens that: then, and where there is no webhook, it is
    one that nobody knows."""
    if held is None:
        return _NO_SECRET, False
    try:
        return unseal(held.secret_encrypted), False
    except ValueError:
        return _NO_SECRET, True


def _said(held: Webhook, delivery: Delivery) -> payloads.Said:
    if held.kind == Webhook.GITHUB:
        return payloads.of_github(delivery.body, delivery.event, delivery.content_type)
    return payloads.of_anybody(delivery.body)


def _take(held: Webhook, token: str, digest: str, said: payloads.Said) -> int:
    """Store it once: in the same transaction the delivery is remembered, and the webhook is still what it was."""
    with short_wait(settings.CHAT_BUSY_SECONDS), transaction.atomic():
        now = clock.now()
        still = _of(token).filter(pk=held.pk, enabled=True)
        if not still.update(used_at=now):
            raise Refused
        if _remembered(held, digest, now):
            arrival = Arrival(
                server=held.name,
                channel=held.channel or said.channel,
                content=said.content,
                received_at=now,
                method=f"webhook/{held.kind}",
            )
            stored = store(held.account_id, [arrival])
            if not stored:
                raise Refused
            return int(stored[0].seq)
    _note(held, REPLAYED)
    raise Conflict("This delivery was taken before; it is not taken again.")


def _remembered(held: Webhook, digest: str, now: datetime) -> bool:
    """Whether this delivery is new; it is remembered then."""
    try:
        with transaction.atomic():
            WebhookDelivery.objects.create(webhook=held, digest=digest, received_at=now)
    except IntegrityError:
        return False
    return True


def _note(held: Webhook | None, why: str) -> None:
    """For the owner to read; a database that is locked costs the note, never the answer."""
    if held is None:
        return
    now = clock.now()
    due = Q(refused_at=None) | Q(refused_at__lt=now - NOTED_AGAIN) | ~Q(refused_why=why)
    with suppress(DatabaseError):
        if Webhook.objects.filter(due, pk=held.pk).update(refused_at=now, refused_why=why):
            news.publish_on_commit(servers_key(held.account_id))


def _of(token: str) -> QuerySet[Webhook]:
    """The webhook of this address; of an owner who was switched off there is none."""
    found: QuerySet[Webhook] = Webhook.objects.visible_to(system()).filter(digest=_digest(token), account__owner__is_active=True)
    return found


def _renew(held: Webhook) -> Shown:
    token, secret = f"tw-{secrets.token_urlsafe(32)}", f"tw-{secrets.token_urlsafe(32)}"
    held.digest, held.prefix, held.secret_encrypted = _digest(token), token[:PREFIX_LENGTH], seal(secret)
    return Shown(name=held.name, address=f"{settings.TERTULIA_URL}/in/{token}", secret=secret)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _channel(given: str) -> str:
    channel = given.strip()
    if len(channel) > LONGEST_CHANNEL or not is_printable(channel):
        raise Invalid(_("A channel is at most 200 printable characters."))
    return channel


def _locked(actor: Actor, name: str) -> Webhook:
    account_id = require_owner(actor)
    own = Webhook.objects.visible_to(actor).filter(account_id=account_id, name=name)
    held: Webhook | None = own.select_for_update().first()
    if held is None:
        raise NotFound(_("No such webhook; look it up in the list of webhooks."))
    return held


def _tell(actor: Actor, held: Webhook, deed: str, **details: object) -> None:
    record(actor, deed, target=f"webhook:{held.name}", label=held.name, account_id=held.account_id, **details)
    news.publish_on_commit(servers_key(held.account_id))
