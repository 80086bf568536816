"""The app of the chat."""

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from core.mounts import Receive, Scope, Send


class ChatConfig(AppConfig):
    """Fills the registries of the floors beneath."""

    name = "chat"

    def ready(self) -> None:
        """Register scopes, tools, the reader's and the tickets' addresses, clean-up and the net; hear of new accounts."""
        from django.utils.translation import gettext_noop

        from accounts.launches.news import LAUNCH, LAUNCHES
        from chat import agent_rights, home, mcp, news, pruning, receivers  # noqa: F401 -- receivers connects itself
        from chat.consumers import ChatConsumer
        from chat.grants import news as grant_news
        from chat.grants.actions import note_refused
        from chat.launcher.line import launcher_door
        from chat.permissions import NOT_GRANTED
        from chat.reader import reader
        from chat.tickets.doors import ticket, unread
        from chat.wakes.actions import settle_overdue
        from core import refusals
        from core.mounts import mounts, program_sockets, sockets
        from core.news import net
        from core.registry import ScopeSpec, account_deletions, home_cards, live_keys, prunings, scopes, sweeps
        from core.tools import TOOLS

        scopes.add("chat.read", ScopeSpec("chat.read", gettext_noop("Read the account's chat and wait for messages")))
        scopes.add("chat.post", ScopeSpec("chat.post", gettext_noop("Post messages in the account's chat")))
        agent_rights.declare()
        mcp.register()
        mounts.add("/chat", reader)
        mounts.add("/chat/ticket", ticket)
        mounts.add("/chat/unread", unread)
        mounts.add("/api/wait/", _waiting_door)
        prunings.add("chat messages", pruning.prune)
        prunings.add("expired tickets", pruning.prune_tickets)
        prunings.add("unmoved read marks", pruning.prune_cursors)
        prunings.add("decided wakes", pruning.prune_wakes)
        sweeps.add("wakes", settle_overdue)
        account_deletions.add("chat", pruning.forget_account)
        net.register(news.KIND, news.versions)
        refusals.notes.add(NOT_GRANTED, note_refused)
        net.register(TOOLS, grant_news.tools_versions)
        net.register(LAUNCH, grant_news.launch_versions)
        net.register(LAUNCHES, grant_news.list_versions)
        live_keys.add("chat", news.chat_key)
        live_keys.add("inbox", news.inbox_key)
        home_cards.add("chat", home.waiting)
        sockets.add("/ws/chat/", ChatConsumer.as_asgi())
        program_sockets.add("/ws/launch/", launcher_door)


async def _waiting_door(scope: "Scope", receive: "Receive", send: "Send") -> None:
    """Loaded with the first call: only a web process is asked."""
    from chat.api.wait import waiting_door

    await waiting_door(scope, receive, send)
