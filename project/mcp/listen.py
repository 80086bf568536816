"""News of a changed tool list: `subscriptions/listen` of the newer protocol era, the GET stream of the older one."""

from collections.abc import AsyncIterator
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY, ToolsListChanged, event_to_notification

from accounts.actions import connection_key
from accounts.reading import require_live_connection
from core import executors, news
from core.actor import Actor
from core.errors import TooMany, Unauthenticated
from core.held import streams
from core.tools import tools_key

LONGEST_HUSH = 3600.0


async def changes(actor: Actor) -> AsyncIterator[None]:
    """Yields once when listening has begun, then for each change of the tools; ends when the connection is revoked."""
    revoked = connection_key(actor.connection_id)
    with news.board.watch(tools_key(actor.account_id), revoked) as watch:
        yield
        while True:
            rung = await watch.wait(LONGEST_HUSH)
            if revoked in rung:
                try:
                    await executors.read(require_live_connection, actor)
                except Unauthenticated:
                    return
            if tools_key(actor.account_id) in rung:
                yield


async def listen(
    context: ServerRequestContext[Any, Any], params: types.SubscriptionsListenRequestParams
) -> types.SubscriptionsListenResult:
    """One subscription stream: acknowledges what it will tell, tells it, and ends with the connection."""
    if context.request_id is None or context.request is None:
        raise MCPError(types.INVALID_REQUEST, "subscriptions/listen needs a request id.")
    actor: Actor = context.request.scope["tertulia.actor"]
    wanted = bool(params.notifications.tools_list_changed)
    try:
        with streams.take(actor.connection_id):
            return await _tell(context, actor, wanted)
    except TooMany as refusal:
        raise MCPError(types.INVALID_REQUEST, refusal.detail) from None


async def _tell(context: ServerRequestContext[Any, Any], actor: Actor, wanted: bool) -> types.SubscriptionsListenResult:
    meta: dict[str, Any] = {SUBSCRIPTION_ID_META_KEY: context.request_id}
    begun = False
    async for _ in changes(actor):
        if not begun:
            begun = True
            honored = types.SubscriptionFilter(tools_list_changed=True if wanted else None)
            acknowledged = types.SubscriptionsAcknowledgedNotification(
                params=types.SubscriptionsAcknowledgedNotificationParams(notifications=honored, _meta=meta)
            )
            await context.session.send_notification(acknowledged, related_request_id=context.request_id)
        elif wanted:
            changed = event_to_notification(ToolsListChanged(), meta)
            await context.session.send_notification(changed, related_request_id=context.request_id)
    return types.SubscriptionsListenResult(_meta=meta)
