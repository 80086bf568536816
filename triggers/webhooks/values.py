"""Plain values of webhooks."""

from dataclasses import dataclass

MOST_BYTES = 256 * 1024
"""Of the body of one delivery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One request to a webhook's address, as it came; header texts are empty where there is none."""

    body: bytes
    signature: str = ""
    github_signature: str = ""
    timestamp: str = ""
    event: str = ""
    content_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is shown of a webhook once and never again."""

    name: str
    address: str
    secret: str


NO_SIGNATURE, BAD_SIGNATURE, TOO_OLD, NOT_JSON, REPLAYED, OFF, SEALED = (
    "no_signature",
    "bad_signature",
    "too_old",
    "not_json",
    "replayed",
    "off",
    "sealed",
)
"""Why a delivery was refused, as its owner reads it on the page Webhooks."""
