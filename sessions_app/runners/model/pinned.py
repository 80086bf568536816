"""Requests to an address that an owner chose: connected to as it was checked, so that a name cannot change what it leads to."""

import asyncio

import httpx2

from core.addresses import check_host


class CheckedTransport(httpx2.AsyncHTTPTransport):
    """Looks a host up, refuses private addresses, and connects to what was looked up; certificates are checked for the name."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """As the transport beneath; raises Invalid for an address that may not be called."""
        asked = request.url
        port = asked.port or (443 if asked.scheme == "https" else 80)
        addresses = await asyncio.to_thread(check_host, asked.host, port)
        request.extensions = {**request.extensions, "sni_hostname": asked.raw_host.decode()}
        failed: httpx2.ConnectError | None = None
        try:
            for address in addresses:
                request.url = asked.copy_with(host=address)
                try:
                    return await super().handle_async_request(request)
                except httpx2.ConnectError as error:
                    failed = error
        finally:
            request.url = asked  # what a redirect is relative to
        raise failed or httpx2.ConnectError("no address", request=request)
