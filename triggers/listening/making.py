"""The transport for a server, with what its owner gave for it."""

from core import executors
from core.errors import DomainError
from sessions_app.runners.actions import require_commands
from triggers.calling.credentials import headers_for
from triggers.listening.faults import Failed
from triggers.listening.sse import SseTransport
from triggers.listening.stdio import StdioTransport
from triggers.listening.streamable import StreamableTransport
from triggers.listening.transport import Hear, Shed, Transport
from triggers.models import PushServer
from triggers.servers.sealed import VARIABLES, opened


async def transport_for(server: PushServer, hear: Hear, shed: Shed) -> Transport:
    """Ready to stream. Raises Failed: for stdio, where the owner may not have the hub run commands."""

    async def headers(renew: bool) -> dict[str, str]:
        return await headers_for(server, renew=renew)

    if server.transport == PushServer.STDIO:
        return await _program(server, hear, shed)
    if server.transport == PushServer.SSE:
        sse = SseTransport(server.url, headers, hear, shed)
        sse.last_event_id = server.last_event_id
        return sse
    streamable = StreamableTransport(server.url, headers, hear, shed)
    if server.session_id and server.protocol:
        streamable.resume(server.session_id, server.protocol, server.last_event_id)
    return streamable


async def _program(server: PushServer, hear: Hear, shed: Shed) -> StdioTransport:
    try:
        await executors.read(require_commands, server.account_id)
        variables = opened(server.environment_encrypted, VARIABLES)
    except DomainError as refusal:
        raise Failed(refusal.detail) from None
    return StdioTransport(server.argv, variables, hear, shed)
