"""channel status, logs."""

from typing import Annotated, Any

import typer

from tertulia.commands.channel import completing
from tertulia.commands.options import BrowserOption, HubOption, JsonOption, as_owner


def status(browser: BrowserOption = False, hub: HubOption = None, json: JsonOption = False) -> None:
    """Show each push server's state and its reason, and what is queued. Asks for a proof that you are the owner."""
    from tertulia.channel import STATUS
    from tertulia.problems import Problem
    from tertulia.store.channel import remember_servers
    from tertulia.voice import answer_json

    with as_owner(hub, browser=browser) as owner:
        said = owner.ask("GET", STATUS)
        servers = said.get("servers") if isinstance(said, dict) else None
        if not isinstance(servers, list) or not all(isinstance(each, dict) for each in servers):
            raise Problem(f"The hub {owner.address} answered without a status; ask whoever runs it.")
        remember_servers(owner.address, [str(each.get("name", "")) for each in servers])
    if json:
        answer_json(said)
    else:
        _show(said, servers)


def _show(said: dict[str, Any], servers: list[dict[str, Any]]) -> None:
    from tertulia.view import show_table
    from tertulia.voice import answer, tell

    paused = said.get("paused_at")
    answer(f"rules: {said.get('rules', 0)}{', paused' if paused else ''}")
    answer(f"messages: {said.get('total', 0)}, {said.get('unread', 0)} unread")
    answer(f"firings: {said.get('queued', 0)} queued, {said.get('asked', 0)} waiting for you, {said.get('running', 0)} running")
    if not servers:
        tell("There is no push server yet; add one on the hub's page Push servers.")
    names = ("name", "transport", "state", "received", "shed", "reason")
    show_table(names, [tuple(str(each.get(name, "")) for name in names) for each in servers])


def logs(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the push server.", autocompletion=completing.servers)],
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, metavar="N", help="At most so many lines.")] = 50,
    browser: BrowserOption = False,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """Show what happened to a push server's connection, oldest first."""
    from urllib.parse import quote

    from tertulia.channel import INBOX, rows_in
    from tertulia.view import show_table
    from tertulia.view.terminal import local_time
    from tertulia.voice import answer_json, prints_to_terminal, tell

    with as_owner(hub, browser=browser) as owner:
        path = f"{INBOX}servers/{quote(name, safe='')}/log/"
        rows = rows_in(owner.address, owner.ask("GET", path, query=[("limit", str(limit))]))
    if json:
        answer_json({"results": rows})
        return
    if not rows:
        tell("Nothing has happened yet.")
    times = local_time if prints_to_terminal() else str
    cells = [(times(str(row.get("at", ""))), str(row.get("state", "")), str(row.get("said", ""))) for row in rows]
    show_table(("at", "state", "what"), cells)
