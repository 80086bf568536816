"""channel rules, rules reload, rules test."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tertulia.commands.options import BrowserOption, HubOption, JsonOption, as_owner, refuse_before_the_command

if TYPE_CHECKING:
    from collections.abc import Iterator

app = typer.Typer(
    invoke_without_command=True, rich_markup_mode=None, help="Show your rules; load them from their file; try some."
)
FIELDS = (
    ("server", "server"),
    ("channel", "channel"),
    ("contentRegex", "content"),
    ("prompt", "prompt"),
    ("rateLimit", "at most one each"),
    ("dedupWindow", "the same again after"),
)
FIRES = "fire"
"""What the hub says of a match on which its rule would fire."""
COUNTS = (("fired", "fired"), ("by_rate", "kept back by the rate limit"), ("by_dedup", "as the same again"), ("errors", "errors"))


@app.callback()
def rules(context: typer.Context, browser: BrowserOption = False, hub: HubOption = None, json: JsonOption = False) -> None:
    """Show your rules in their order, and what each did. Asks for a proof that you are the owner."""
    from tertulia.channel import RULES, rows_in
    from tertulia.voice import answer, answer_json, tell

    if context.invoked_subcommand is not None:
        refuse_before_the_command(context, "browser", "hub", "json")
        return
    with as_owner(hub, browser=browser) as owner:
        rows = rows_in(owner.address, owner.ask("GET", RULES))
    if json:
        answer_json({"results": rows})
        return
    if not rows:
        tell("There are no rules; make them on the hub's page Rules, or load a file with: tertulia channel rules reload")
    for row in rows:
        answer("\n".join(_lines(row)))


def _lines(row: dict[str, Any]) -> "Iterator[str]":
    """The rule's name and mode, and below it, each indented, what it says and did."""
    from tertulia.inert import line

    off = "" if row.get("enabled", True) else ", switched off"
    yield f"{line(str(row.get('name', '')))}: {line(str(row.get('mode', '')))}{off}"
    for name, told in FIELDS:
        if row.get(name):
            yield f"    {told}: {line(str(row[name]), 500)}"
    if tools := row.get("tools"):
        yield f"    tools: {line(', '.join(map(str, tools if isinstance(tools, list) else [])), 500)}"
    counts = [f"{told} {row[name]}" for name, told in COUNTS if isinstance(row.get(name), int) and row[name]]
    yield f"    {'; '.join(counts) if counts else 'has not fired yet'}"
    if row.get("last_error"):
        yield f"    last error: {line(str(row['last_error']), 300)}"
    yield from (f"    {note}" for note in _notes(row))


def _notes(*rows: dict[str, Any]) -> "Iterator[str]":
    """What the owner should think of."""
    from tertulia.inert import line

    yield from (f"note: {line(str(row['warning']), 300)}" for row in rows if row.get("warning"))


@app.command()
def reload(browser: BrowserOption = False, hub: HubOption = None) -> None:
    """Put the rules of the hub's file in the place of those in force: all of them, or, on any error, none."""
    from tertulia.channel import RELOAD, rows_in
    from tertulia.voice import answer, tell

    with as_owner(hub, browser=browser) as owner:
        rows = rows_in(owner.address, owner.ask("POST", RELOAD))
    for note in _notes(*rows):
        tell(note)
    answer(f"{len(rows)} {'rule is' if len(rows) == 1 else 'rules are'} in force.")


@app.command("test")
def try_(
    file: Annotated[str, typer.Argument(metavar="FILE", help='JSON: {"rules": […]}')],
    browser: BrowserOption = False,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """Show which stored messages the rules of a file would match. Nothing is changed and nothing fires."""
    from tertulia.channel import TRY, rows_in, rules_file
    from tertulia.voice import answer, answer_json

    drafts = rules_file(file)
    with as_owner(hub, browser=browser) as owner:
        rows = rows_in(owner.address, owner.ask("POST", TRY, body={"rules": drafts}))
    if json:
        answer_json({"results": rows})
        return
    for row in rows:
        answer("\n".join(_tried(row)))


def _tried(row: dict[str, Any]) -> "Iterator[str]":
    from tertulia.inert import line

    name, matches = line(str(row.get("rule", ""))), row.get("matches")
    found = [each for each in matches if isinstance(each, dict)] if isinstance(matches, list) else []
    fires = sum(each.get("verdict", FIRES) == FIRES for each in found)
    would = f", would fire {fires} {'time' if fires == 1 else 'times'}" if fires != len(found) else ""
    yield f"{name}: matches {len(found)} of the newest {row.get('checked', 0)} messages{would}"
    for each in found[:10]:
        begin = f"#{each.get('seq', '')} {each.get('server', '')}/{each.get('channel', '')}"
        yield f"    {line(begin, 200)} {line(str(each.get('preview', '')), 120)}"
    if len(found) > 10:
        yield f"    … and {len(found) - 10} more"
    yield from (f"    {note}" for note in _notes(row))
