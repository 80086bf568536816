"""Messengers by apprise: which addresses may be kept as a route, and sending through one.

An address holds the secret of its messenger: it is in no log, no error and no answer; apprise's own log is kept silent.
"""

import logging
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import structlog
from django.utils.translation import gettext as _

from core.addresses import check_host
from core.errors import DomainError, Invalid
from core.sealing import unseal
from sessions_app.announcing.outcomes import Refused
from sessions_app.announcing.targets import Target
from sessions_app.announcing.texts import fitting
from sessions_app.models import Announcement, Route

log = structlog.get_logger(__name__)
HOSTED = frozenset({"tgram", "slack", "discord", "whatsapp", "gchat", "webex", "wxteams"})
"""Messengers at one address of their own, which apprise knows."""
NAMING_A_HOST = frozenset(
    f"{name}{secure}"
    for name in ("signal", "matrix", "mmost", "rocket", "nctalk", "gotify", "ntfy", "json", "form", "xml")
    for secure in ("", "s")
)
"""Messengers, and plain web hooks, at a host that the address names and the hub checks before each use."""
OPTIONS = frozenset(
    {"format", "image", "footer", "avatar", "thread", "topic", "silent", "preview", "tts", "mode", "channel", "team", "priority"}
) | {"from", "to", "token", "version", "msgtype", "method", "webhook", "secret", "key", "threadkey", "lang", "source"}
"""Of what may follow the `?`; others would read files or addresses, loosen TLS, follow redirects, or try again and again."""
OWN_NAMES = ("+", "-", ":")
"""What a web hook's own headers, parameters and fields begin with."""
LONGEST_ADDRESS = 1_000
SECONDS = 30
SAMPLES = ("0", "-100123")


@dataclass(frozen=True, slots=True)
class Address:
    """An apprise address with its places `{to}` and `{thread}`."""

    text: str

    @property
    def scheme(self) -> str:
        """Which messenger it is."""
        return self.text.partition("://")[0].lower()

    def filled(self, target: Target) -> str:
        """With whom it is for, quoted, so that it stays one part of the address."""
        return self.text.replace("{to}", quote(target.bare_to, safe="")).replace("{thread}", quote(target.thread, safe=""))


def check(text: str) -> Address:
    """The address if it may be a route; raises Invalid. Names are looked up, so outside of any transaction."""
    address = Address(text.strip())
    if len(address.text) > LONGEST_ADDRESS or not address.text.isprintable() or "://" not in address.text:
        raise Invalid(_("Give the messenger's apprise address, such as tgram://TOKEN/{to}, in at most 1,000 characters."))
    if address.scheme not in HOSTED | NAMING_A_HOST:
        allowed = ", ".join(sorted(HOSTED | NAMING_A_HOST))
        raise Invalid(_("Routes take these messengers: %(allowed)s.") % {"allowed": allowed})
    _check_options(address)
    _check_services(address)
    return address


def _check_options(address: Address) -> None:
    hooks = address.scheme.removesuffix("s") in {"json", "form", "xml"}
    for option in urlsplit(address.text).query.replace(";", "&").split("&"):
        name = unquote(option.partition("=")[0])
        if option and name.strip().lower() not in OPTIONS and not (hooks and name.startswith(OWN_NAMES)):
            shown = "".join(filter(str.isalnum, name))[:20]
            raise Invalid(_("A route's address may not carry the option %(name)s; leave it out.") % {"name": shown})


def _check_services(address: Address) -> None:
    """That apprise reads it, and that no announcement changes where it leads."""
    found = [_service(address.filled(Target("", sample, thread=sample))) for sample in SAMPLES]
    if any(each is None for each in found):
        raise Invalid(_("That is no complete address of this messenger; look up its form in the documentation of apprise."))
    if address.scheme in NAMING_A_HOST:
        if len({(each.host, each.port) for each in found}) > 1:
            raise Invalid(_("The places {to} and {thread} may not stand in the name of the host."))
        _check_host(found[0])


def send(announcement: Announcement) -> None:
    """Send an announcement through its account's route. Raises Refused; nothing of the address is in it."""
    target = Target(announcement.channel, announcement.to, announcement.to_account, announcement.thread_id)
    service = _service(_address_for(announcement).filled(target))
    if service is None:
        raise Refused(_("The route's address does not fit whom this is for."), for_good=True)
    if service.schema_named_host:
        try:
            _check_host(service)
        except DomainError as refusal:
            raise Refused(refusal.detail) from None
    _notify(service, fitting(announcement.text), announcement)


def _address_for(announcement: Announcement) -> Address:
    routes = Route.objects.filter(account_id=announcement.account_id, channel=announcement.channel, enabled=True)
    names = {"", announcement.to_account}
    route = routes.filter(to_account__in=names).order_by("-to_account").first()
    if route is None:
        said = _("There is no route for %(channel)s; add one to the account's routes.")
        raise Refused(said % {"channel": announcement.channel}, for_good=True)
    try:
        address = Address(unseal(route.address_encrypted))
    except ValueError:
        raise Refused(_("The route's secret cannot be opened with the hub's keys; save the route anew."), for_good=True) from None
    if "{to}" in address.text and not announcement.to:
        raise Refused(_("The route needs to know whom it is for, and the session does not say."), for_good=True)
    return address


def _notify(service: Any, text: str, announcement: Announcement) -> None:
    from apprise import Apprise, NotifyFormat

    courier = Apprise(asset=_asset())
    courier.add(service)
    try:
        taken = bool(courier.notify(body=text, body_format=NotifyFormat.TEXT, timeout=SECONDS))
    except Exception as error:  # its words may hold the address
        log.warning("messenger_failed", announcement=announcement.pk, kind=type(error).__name__)
        taken = False
    if not taken:
        raise Refused(_("The messenger did not take it."))


def _service(url: str) -> Any:
    """What apprise makes of an address, or None. Long texts go in parts, and a Matrix server is the one that is named."""
    from apprise import Apprise, OverflowMode

    try:
        service: Any = Apprise.instantiate(url, asset=_asset(), suppress_exceptions=True)
    except Exception:
        return None
    if service is None:
        return None
    service.overflow_mode = OverflowMode.SPLIT
    service.discovery = False
    service.schema_named_host = url.partition("://")[0].lower() in NAMING_A_HOST
    return service


def _check_host(service: Any) -> None:
    if not service.host:
        raise Invalid(_("The address names no host; give one."))
    check_host(str(service.host), int(service.port or (443 if service.secure else 80)))


@cache
def _asset() -> Any:
    """Apprise with nothing of its own: no files, no plugins found, no redirects, no keys made, no store on disk."""
    from apprise import Apprise, AppriseAsset, PersistentStoreMode

    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # its plugins are found now, with imghdr
        Apprise.instantiate("json://localhost")
    logging.getLogger("apprise").propagate = False
    logging.getLogger("apprise").addHandler(logging.NullHandler())
    asset = AppriseAsset(plugin_paths=[], storage_mode=PersistentStoreMode.MEMORY, allow_templates=False, service_timeout=SECONDS)
    asset.app_id = asset.app_desc = "Tertulia"
    asset.http_redirects = asset.pgp_autogen = asset.pem_autogen = False
    return asset
