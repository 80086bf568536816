"""channel: the push inbox; its rules, what waits for the owner's word, and the servers that push."""

import typer

from tertulia.commands.channel import approving, firing, inbox, rules, servers
from tertulia.commands.channel.completing import OffersOptions
from tertulia.commands.options import BrowserOption, HubOption, JsonOption, MaintainerOption, refuse_before_the_command

app = typer.Typer(rich_markup_mode=None)
app.command("list")(inbox.list_)
app.command()(inbox.ack)
app.command(cls=OffersOptions)(inbox.clear)
app.command()(inbox.inject)
app.command()(firing.pause)
app.command()(firing.resume)
app.add_typer(rules.app, name="rules")
app.command()(firing.confirm)
app.command()(firing.run)
app.command()(firing.stop)
app.command()(approving.approve)
app.command()(servers.status)
app.command()(servers.logs)


@app.callback(invoke_without_command=True)
def channel(
    context: typer.Context,
    maintainer: MaintainerOption = False,
    browser: BrowserOption = False,
    hub: HubOption = None,
    json: JsonOption = False,
) -> None:
    """See what your MCP servers pushed, and decide on what your rules ask.

    Without a command: the newest push messages, as `list` shows them. None of it is for agents.
    """
    from tertulia.tree import refuse_agents

    refuse_agents()
    if context.invoked_subcommand is None:
        inbox.list_(maintainer=maintainer, browser=browser, hub=hub, json=json)
        return
    refuse_before_the_command(context, "maintainer", "browser", "hub", "json")
