"""Checking who somebody is by his password: limited tries, few at a time, one answer for whatever does not fit.

The sign-in page and the owner's proof share it and its counters, so that neither tells more than the other.
"""

import threading

from django.contrib.auth import authenticate
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_noop

from accounts.models import User
from accounts.throttle import Throttle, client_address
from core.errors import Busy, Invalid

WINDOW = 900
BY_EMAIL = Throttle("sign-in-email", limit=10, seconds=WINDOW)
BY_ADDRESS = Throttle("sign-in-address", limit=50, seconds=WINDOW)
HASHINGS = threading.BoundedSemaphore(2)
"""Argon2 takes 100 MiB for each password it looks at: strangers who send many at once wait for one another."""
HASHING_PATIENCE = 10.0
BUSY = gettext_noop("Too many people sign in at this moment; try again in a minute.")
REFUSAL = gettext_noop("E-mail address and password do not fit together, or this sign-in is switched off; try again.")


def person_with(request: HttpRequest, *, email: str, password: str) -> User:
    """The active user whose e-mail and password these are. Raises Throttled, Busy, and Invalid with one sentence."""
    BY_ADDRESS.check(client_address(request))
    BY_EMAIL.check(counted_as(email))
    if not HASHINGS.acquire(timeout=HASHING_PATIENCE):
        raise Busy(gettext(BUSY), retry_after=60)
    try:
        user = authenticate(request, username=email, password=password)
    finally:
        HASHINGS.release()
    if not isinstance(user, User):
        raise Invalid(gettext(REFUSAL))
    BY_EMAIL.forget(counted_as(email))
    BY_ADDRESS.give_back(client_address(request))
    return user


def counted_as(email: str) -> str:
    """One text for all spellings that a database may take for one address: upper case turns even ı and ſ into I and S."""
    return email.upper().lower()
