"""Clients that name themselves by the address of a document (client id metadata documents).

The document is fetched with a guarded fetcher; where that fails, bundled documents of known clients answer,
so that a hub without a way out still lets them in. No new address is fetched for a stranger: only while somebody signed
in is asked for consent.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import structlog
from django.urls import reverse
from oauth2_provider.cimd import CIMDError, is_cimd_client_id

from accounts.oauth.fetching import GuardedFetcher
from accounts.oauth.validator import AUTHORIZATION_CODE, LONGEST_CLIENT_ID, REFRESH_TOKEN
from core.text import first_control_character

log = structlog.get_logger(__name__)
Document = dict[str, Any]
BUNDLED = Path(__file__).parent / "bundled"
BUNDLED_SECONDS = 3600
PLACEHOLDER = re.escape("{id}")
ID = "(?P<id>[A-Za-z0-9_-]{1,64})"

fetch_document: Callable[[str], tuple[Document, int]] = GuardedFetcher().fetch
"""Fetches a document and says how many seconds it may be kept; raises CIMDError. Tests put their own here."""


class HubMetadataFetcher:
    """What `CIMD_METADATA_FETCHER` names."""

    def fetch(self, client_id: str) -> tuple[Document, int]:
        """The document at `client_id` and its seconds to live; raises CIMDError."""
        try:
            document, seconds = fetch_document(client_id)
        except CIMDError as error:
            known = bundled(client_id)
            if known is None:
                raise
            log.info("client_document_bundled", client_id=client_id, reason=str(error))
            return known, BUNDLED_SECONDS
        return with_one_grant(document), seconds


def with_one_grant(document: Document) -> Document:
    """The library keeps one grant type a client; a document that lists more is taken for the code grant."""
    grants = document.get("grant_types")
    if isinstance(grants, list) and AUTHORIZATION_CODE in grants:
        return {**document, "grant_types": [AUTHORIZATION_CODE, REFRESH_TOKEN]}
    return document


@cache
def _bundle() -> list[tuple[re.Pattern[str], str]]:
    texts = [file.read_text() for file in sorted(BUNDLED.glob("*.json"))]
    return [(re.compile(re.escape(json.loads(text)["client_id"]).replace(PLACEHOLDER, ID)), text) for text in texts]


def bundled(client_id: str) -> Document | None:
    """The bundled document of a known client, or None."""
    for pattern, text in _bundle():
        match = pattern.fullmatch(client_id)
        if match is not None:
            document: Document = json.loads(text.replace("{id}", match.groupdict().get("id", "")))
            return document
    return None


class OnlyWhileAuthorizing:
    """Lets a document be fetched only for an authorization request, which needs somebody signed in."""

    def has_permission(self, request: Any, client_id: str) -> bool:
        """Whether the request the client id came on may fetch."""
        if len(client_id) > LONGEST_CLIENT_ID or first_control_character(client_id) is not None:
            return False
        return urlsplit(request.uri or "").path == reverse("oauth2_provider:authorize")


def is_document_address(client_id: str) -> bool:
    """Whether a client id is the address of a document."""
    return bool(is_cimd_client_id(client_id))
