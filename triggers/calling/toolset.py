"""What runs are offered of the account's push servers: each tool as `<server>__<tool>`."""

from collections.abc import Iterator, Sequence
from typing import Any

import structlog

from core import executors
from core.errors import Invalid
from core.text import cut_bytes
from sessions_app.models import Agent, Run
from sessions_app.runners.actions import require_commands
from sessions_app.runners.toolsets import OfferedTool
from sessions_app.runners.whitelist import matches
from triggers.calling import actions, names
from triggers.calling.lines import Lines
from triggers.calling.results import text_of
from triggers.models import PushServer

log = structlog.get_logger(__name__)
MOST_TOOLS = 100
"""Providers take 128 tools a request, and the hub has some of its own."""

TEXT_BYTES = 1024
GONE = "This push server was removed or switched off; do without it."


def offered(run: Run) -> list[OfferedTool]:
    """The tools of all enabled push servers of the run's account, those on its whitelist first. For a thread that may ask the
    database."""
    servers = list(PushServer.objects.filter(account_id=run.account_id, enabled=True).exclude(tools=[]).order_by("name"))
    lines, wanted = Lines(), _wanted(run)
    found = [each for server in servers for each in _tools(run, server, servers, lines)]
    found.sort(key=lambda each: not matches(each.name, wanted))
    if len(found) > MOST_TOOLS:
        log.warning("push_server_tools_left_out", run=run.run_id, offered=MOST_TOOLS, listed=len(found))
    return found[:MOST_TOOLS]


def _wanted(run: Run) -> list[str]:
    if run.tools is not None:
        return list(run.tools)
    agents = Agent.objects.filter(account_id=run.account_id, slug=run.session.agent)
    return list(agents.values_list("tools", flat=True).first() or ())


def _tools(run: Run, server: PushServer, servers: Sequence[PushServer], lines: Lines) -> Iterator[OfferedTool]:
    others = [each.name for each in servers]
    for listed in server.tools:
        name = names.offered_name(server.name, str(listed["name"]))
        if names.passes_for_another(server.name, name, others):
            log.info("push_server_tool_left_out", server=server.pk, tool=name)
            continue
        yield _tool(run, server, listed, name, lines)


def _tool(run: Run, server: PushServer, listed: dict[str, Any], name: str, lines: Lines) -> OfferedTool:
    tool = str(listed["name"])

    async def call(arguments: dict[str, Any]) -> str:
        held = await executors.read(_standing, server.pk)
        call_id = await executors.write(actions.begin_call, run, held.pk)
        try:
            result = await lines.call(held, tool, arguments)
        finally:
            await executors.write(actions.end_call, call_id)
        if result.is_error:
            raise Invalid(text_of(result))
        return text_of(result)

    schema = listed.get("inputSchema")
    return OfferedTool(
        name=name,
        description=cut_bytes(f"Push server {server.name}: {listed.get('description', '')}", TEXT_BYTES),
        # Providers refuse a whole request for one schema without its type.
        schema={**(schema if isinstance(schema, dict) else {}), "type": "object"},
        call=call,
    )


def _standing(server_id: int) -> PushServer:
    """The server as it is now. Raises Invalid where it is gone or off, Forbidden where it is a program and its owner may not have
    the hub run commands any more."""
    held: PushServer | None = PushServer.objects.filter(pk=server_id, enabled=True).first()
    if held is None:
        raise Invalid(GONE)
    if held.transport == PushServer.STDIO:
        require_commands(held.account_id)
    return held
