"""Everything that changes announcements and the routes they take."""

import re
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts.permissions import may_manage_account
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.errors import Conflict, Forbidden, Invalid, NotFound
from core.sealing import seal
from core.text import is_printable
from sessions_app.announcing.messengers import check
from sessions_app.announcing.outcomes import Refused
from sessions_app.announcing.targets import INTERNAL, WEBCHAT, Target, from_key
from sessions_app.announcing.tasks import deliver
from sessions_app.announcing.texts import clean
from sessions_app.models import Announcement, Route, Run, Session, SessionSettings
from sessions_app.news import sessions_key
from sessions_app.signals import announcement_ended

PENDING = Announcement.PENDING
ATTEMPTS = 3
BACKOFF = (timedelta(seconds=30), timedelta(seconds=120))
CLAIM = timedelta(seconds=120)
"""Longer than any messenger is waited for: then whoever claimed it is dead."""
DETAIL_LENGTH, ACCOUNT_LENGTH = 200, 64
CHANNEL = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


def target_of(session: Session) -> Target | None:
    """Where this session's announcements go, or None where it has no route."""
    if session.last_channel:
        return Target(
            session.last_channel.lower(), session.last_to, account=session.last_account_id, thread=session.last_thread_id
        )
    return from_key(session.key)


@transaction.atomic
def announce(session: Session, text: str, *, cause: str, run: Run | None) -> Announcement | None:
    """Put a text on its way to the session's route; None where it has none, or the send policy denies it.

    One announcement a `cause`, whatever calls again; it is sent after the commit and told again until a messenger has taken
    it (`delivering`). Part of a deed that was checked. No audit: the row is the record, and its end is audited.
    """
    target = target_of(session)
    if target is None or target.channel == INTERNAL or not text.strip() or not _may_deliver(session):
        return None
    now = clock.now()
    try:
        with transaction.atomic():
            made = Announcement.objects.create(
                account_id=session.account_id,
                session=session,
                run=run,
                cause=cause,
                channel=target.channel,
                to=target.to,
                to_account=target.account,
                thread_id=target.thread,
                text=clean(text),
                next_at=now,
                created_at=now,
            )
    except IntegrityError:  # this cause was announced before
        return Announcement.objects.get(account_id=session.account_id, cause=cause)
    transaction.on_commit(lambda: deliver.delay(made.pk), robust=True)
    return made


def _may_deliver(session: Session) -> bool:
    from sessions_app.permissions import may_deliver

    return may_deliver(SessionSettings.objects.get(pk=session.account_id), session)


def claim(actor: Actor, announcement_id: int) -> Announcement | None:
    """Take a due announcement for one try; None where it is settled, not due, or another worker has it.

    The claim is the count of attempts: whoever raised it sends, and it comes free again after `CLAIM`.
    """
    due = Announcement.objects.visible_to(actor).filter(pk=announcement_id, state=PENDING, next_at__lte=clock.now())
    found: Announcement | None = due.select_related("session").first()
    if found is None:
        return None
    if found.attempts >= ATTEMPTS:
        settle_refused(actor, found, Refused(_("The worker that sent it was gone; it was not tried again.")))
        return None
    until = clock.now() + CLAIM
    if not due.filter(attempts=found.attempts).update(attempts=F("attempts") + 1, next_at=until):
        return None
    found.attempts, found.next_at = found.attempts + 1, until
    return found


@transaction.atomic
def settle_sent(actor: Actor, claimed: Announcement) -> bool:
    """A messenger has taken it."""
    return _settle(actor, claimed, state=Announcement.SENT, detail="", sent_at=clock.now())


@transaction.atomic
def settle_refused(actor: Actor, claimed: Announcement, refusal: Refused) -> bool:
    """It was not taken: tried again later, or failed with its reason after `ATTEMPTS` or for good."""
    if refusal.for_good or claimed.attempts >= ATTEMPTS:
        return _settle(actor, claimed, state=Announcement.FAILED, detail=refusal.detail[:DETAIL_LENGTH])
    again = clock.now() + BACKOFF[claimed.attempts - 1]
    mine = Announcement.objects.filter(pk=claimed.pk, state=PENDING, attempts=claimed.attempts)
    mine.update(next_at=again, detail=refusal.detail[:DETAIL_LENGTH])
    return False


def _settle(actor: Actor, claimed: Announcement, **changes: Any) -> bool:
    mine = Announcement.objects.filter(pk=claimed.pk, state=PENDING, attempts=claimed.attempts)
    if not mine.update(**changes):
        return False
    for name, value in changes.items():
        setattr(claimed, name, value)
    why = {"why": claimed.detail} if claimed.detail else {}
    record(
        actor,
        f"announcement.{claimed.state}",
        target=f"announcement:{claimed.pk}",
        label=claimed.session.key,
        account_id=claimed.account_id,
        channel=claimed.channel,
        attempts=claimed.attempts,
        **why,
    )
    announcement_ended.send(Announcement, announcement=claimed)
    news.publish_on_commit(sessions_key(claimed.account_id))
    return True


def save_route(
    actor: Actor,
    *,
    account_id: int,
    channel: str,
    address: str = "",
    to_account: str = "",
    enabled: bool = True,
    route: Route | None = None,
) -> Route:
    """Keep where an account's announcements for a messenger go; a blank address leaves that of an existing route as it is.

    The address is sealed, and never shown again. Raises Forbidden for any token, NotFound for a foreign account or route,
    Invalid, Conflict (there is one of this channel and sender). Call it outside of a transaction: it looks up names.
    """
    _check_owner(actor, account_id, route)
    name = _channel(channel)
    if len(to_account) > ACCOUNT_LENGTH or not is_printable(to_account):
        raise Invalid(_("The sender's account takes at most 64 printable characters."))
    if not address.strip() and route is None:
        raise Invalid(_("Give the messenger's apprise address, such as tgram://TOKEN/{to}."))
    checked = check(address) if address.strip() else None
    changes: dict[str, Any] = {"channel": name, "to_account": to_account, "enabled": enabled}
    if checked is not None:
        changes |= {"address_encrypted": seal(checked.text), "scheme": checked.scheme}
    return _save_route(actor, account_id, route, changes)


def _check_owner(actor: Actor, account_id: int, route: Route | None) -> None:
    if actor.is_agent:
        raise Forbidden(_("Only the owner changes routes, on the pages of sessions."))
    if not may_manage_account(actor, account_id) or (route is not None and route.account_id != account_id):
        raise NotFound(_("No such account."))


def _channel(given: str) -> str:
    name = given.strip().lower()
    if not CHANNEL.fullmatch(name) or name in {WEBCHAT, INTERNAL}:
        raise Invalid(
            _("A route's channel is a messenger's name of a-z, 0-9, _ and -, such as telegram; webchat and internal need none.")
        )
    return name


@transaction.atomic
def _save_route(actor: Actor, account_id: int, route: Route | None, changes: dict[str, Any]) -> Route:
    kept = route or Route(account_id=account_id, created_at=clock.now())
    for name, value in changes.items():
        setattr(kept, name, value)
    try:
        with transaction.atomic():
            kept.save()
    except IntegrityError:
        raise Conflict(_("There is a route for this channel and sender already; change that one.")) from None
    told = {"channel": kept.channel, "to_account": kept.to_account, "scheme": kept.scheme, "enabled": kept.enabled}
    told["address_changed"] = "address_encrypted" in changes
    record(actor, "route.saved", target=f"route:{kept.pk}", label=kept.channel, account_id=account_id, **told)
    return kept


@transaction.atomic
def remove_route(actor: Actor, route: Route) -> None:
    """Forget a route and its secret. Raises Forbidden, NotFound."""
    _check_owner(actor, route.account_id, route)
    record(actor, "route.removed", target=f"route:{route.pk}", label=route.channel, account_id=route.account_id)
    route.delete()
