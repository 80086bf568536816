"""hubs: list them, choose the default."""

from typing import Annotated

import typer

from tertulia.commands import completing
from tertulia.commands.options import JsonOption

app = typer.Typer(
    invoke_without_command=True, rich_markup_mode=None, help="List the hubs you are signed in to, choose the default."
)


@app.callback()
def hubs(context: typer.Context, json: JsonOption = False) -> None:
    """List the hubs you are signed in to; the default is marked with *."""
    from tertulia.address import short_name
    from tertulia.store.credentials import Credentials
    from tertulia.view import show_table
    from tertulia.voice import answer_json, tell

    if context.invoked_subcommand is not None:
        return
    credentials = Credentials()
    default, known = credentials.default(), credentials.all()
    if json:
        rows = [
            {"name": short_name(each.hub), "hub": each.hub, "account": each.account, "default": each.hub == default}
            for each in known.values()
        ]
        answer_json({"hubs": rows})
        return
    if not known:
        tell("You are not signed in to any hub; run: tertulia login HUB_URL")
    table = [("*" if each.hub == default else "", short_name(each.hub), each.hub, each.account) for each in known.values()]
    show_table(("", "name", "address", "account"), table)


@app.command()
def use(hub: Annotated[str, typer.Argument(metavar="HUB", autocompletion=completing.hubs)]) -> None:
    """Make HUB, by name or address, the one that is meant where none is named."""
    from tertulia.store.credentials import Credentials
    from tertulia.voice import answer

    credentials = Credentials()
    held = credentials.find(hub)
    credentials.use(held.hub)
    answer(f"Your default hub is {held.hub}.")
