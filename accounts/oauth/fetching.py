"""Fetching a client's document from an address a stranger chose: as the library guards it, and within a time it keeps.

The library's own fetcher gives each read a timeout, so a server that sends a byte every few seconds holds a thread, and one
of the ten places for fetching, for hours. Here the connection itself is cut when the time is up.
"""

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import SplitResult

from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher, _resolve_and_validate, _validate_client_id_url
from oauth2_provider.settings import oauth2_settings

HEADERS = {"Accept": "application/json, application/*+json", "Connection": "close"}


class GuardedFetcher(SafeMetadataFetcher):  # type: ignore[misc]
    """https alone, public addresses alone, each looked up once and connected to as looked up, no redirects, a small body,
    one deadline over all of it."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """The document and how many seconds it may be kept; raises CIMDError."""
        deadline = time.monotonic() + oauth2_settings.CIMD_FETCH_TIMEOUT_SECONDS
        try:
            address = _validate_client_id_url(client_id)
            ips = _resolve_and_validate(address.hostname, address.port or 443)
        except ValueError as error:  # of taking the address apart, and of names that are none
            raise CIMDError(f"client_id is no address: {error}") from None
        reason: Exception | None = None
        for ip in ips:
            try:
                with _connected(ip, address, deadline) as connection:
                    path = f"{address.path}?{address.query}" if address.query else address.path
                    connection.request("GET", path, headers={"Host": address.netloc, **HEADERS})
                    with contextlib.closing(connection.getresponse()) as response:
                        document: tuple[dict[str, Any], int] = self._read_document(response)
                        return document
            except (OSError, ValueError, http.client.HTTPException, RecursionError) as error:
                reason = error
        raise CIMDError(f"could not fetch client_id document: {reason}")


@contextlib.contextmanager
def _connected(ip: str, address: SplitResult, deadline: float) -> Iterator[http.client.HTTPConnection]:
    """A connection to `ip` that shows a certificate of the address's host, cut at `deadline` whatever it is doing."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time is up")
    host = address.hostname or ""
    plain = socket.create_connection((ip, address.port or 443), timeout=left)
    secure = ssl.create_default_context().wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
    leash = threading.Timer(max(0.0, deadline - time.monotonic()), _cut, (secure,))
    leash.daemon = True
    leash.start()
    try:
        secure.do_handshake()
        connection = http.client.HTTPConnection(host)
        connection.sock = secure
        yield connection
    finally:
        leash.cancel()
        secure.close()


def _cut(secure: ssl.SSLSocket) -> None:
    """End both directions beneath TLS; whoever reads there finds the end."""
    with contextlib.suppress(OSError):
        socket.socket.shutdown(secure, socket.SHUT_RDWR)
