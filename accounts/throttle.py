"""How often somebody may try: counters in Django's cache, per window of time. Lost counters only let more through."""

import contextlib
import hashlib
import ipaddress
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.errors import TooMany


class Throttled(TooMany):
    """The limit is reached; `retry_after` says in how many seconds to try again."""

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail, retry_after=retry_after)


@dataclass(frozen=True, slots=True)
class Throttle:
    """At most `limit` tries of one key within each window of `seconds`."""

    name: str
    limit: int
    seconds: int
    clock: Callable[[], float] = time.time

    def hit(self, key: str) -> int:
        """Count one try; answers 0 when it is let through, else the seconds to wait."""
        now = self.clock()
        slot = self._slot(key, now)
        cache.add(slot, 0, timeout=self.seconds)
        try:
            tries = cache.incr(slot)
        except ValueError:  # the counter went between the two calls
            cache.set(slot, 1, timeout=self.seconds)
            tries = 1
        return 0 if tries <= self.limit else max(1, math.ceil(self.seconds - now % self.seconds))

    def check(self, key: str) -> None:
        """Count one try; raises Throttled past the limit."""
        wait = self.hit(key)
        if wait:
            raise Throttled(_("Too many tries; wait %(time)s and try again.") % {"time": spoken(wait)}, wait)

    def forget(self, key: str) -> None:
        """Let `key` start anew in this window."""
        cache.delete(self._slot(key, self.clock()))

    def give_back(self, key: str) -> None:
        """Uncount one try, which turned out well."""
        with contextlib.suppress(ValueError):
            cache.decr(self._slot(key, self.clock()))

    def _slot(self, key: str, now: float) -> str:
        digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
        return f"throttle:{self.name}:{digest}:{int(now // self.seconds)}"


def spoken(seconds: int) -> str:
    """A wait as a person says it, rounded up."""
    if seconds < 90:
        return ngettext("%(count)d second", "%(count)d seconds", seconds) % {"count": seconds}
    minutes = math.ceil(seconds / 60)
    return ngettext("%(count)d minute", "%(count)d minutes", minutes) % {"count": minutes}


def client_address(request: HttpRequest) -> str:
    """Where a request came from; the server puts the proxy's word there where the operator trusts one.

    Of IPv6 the network counts: whoever has one address has all 2**64 of its neighbours.
    """
    given = str(request.META.get("REMOTE_ADDR") or "unknown")
    try:
        address = ipaddress.ip_address(given.partition("%")[0])
    except ValueError:
        return given
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
