"""Whether who posts knows the secret: GitHub's signature of the body, and a generic one of time and body. Pure."""

import hashlib
import hmac
import re

AGE_SECONDS = 300
"""A signed time further off than this, before or after, is refused."""

_HEX = re.compile(r"^sha256=([0-9a-fA-F]{64})$")
_TIME = re.compile(r"^[0-9]{1,12}$")


def signature(secret: str, signed: bytes) -> str:
    """The HMAC-SHA256 in hexadecimal."""
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def fits(secret: str, signed: bytes, header: str) -> bool:
    """Whether the header, `sha256=` and hexadecimal, signs these bytes; takes the same time whatever it says."""
    given = _HEX.fullmatch(header.strip())
    right = signature(secret, signed)
    return hmac.compare_digest(right, given.group(1).lower() if given else "0" * 64)


def timed(timestamp: str, body: bytes) -> bytes:
    """What the generic signature is over: the time in seconds, a dot, the body."""
    return timestamp.encode("utf-8", "replace") + b"." + body


def is_fresh(timestamp: str, now: float) -> bool:
    """Whether a time in seconds since 1970 is within five minutes of now."""
    return _TIME.fullmatch(timestamp) is not None and abs(int(timestamp) - now) <= AGE_SECONDS
