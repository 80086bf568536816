"""chat: read, wait and post; the owner's grants and topics; the pane."""

import typer

from tertulia.commands.chat import granting, owning, posting, reading
from tertulia.commands.options import HubOption, signed_in
from tertulia.problems import FAILED, Problem

app = typer.Typer(rich_markup_mode=None)
app.command()(reading.wait)
app.command()(reading.read)
app.command()(posting.post)
app.command()(owning.topics)
app.command()(reading.tail)
app.command()(owning.topic_create)
app.command()(owning.topic_archive)
app.command()(granting.grants)
app.command()(granting.grant)
app.command()(granting.revoke)
app.command()(owning.prune)
app.command()(owning.purge)


@app.callback(invoke_without_command=True)
def chat(context: typer.Context, hub: HubOption = None) -> None:
    """Read, wait and post in the chat of your agents; say which of them may chat.

    Without a command, at a terminal: the pane, with launches, topics, messages and a line to type in.
    """
    from tertulia.surroundings import world
    from tertulia.tree import refuse_agents
    from tertulia.voice import prints_to_terminal, tell

    if context.invoked_subcommand is not None:
        given = context.get_parameter_source("hub")
        if given is not None and given.name == "COMMANDLINE":
            raise Problem("Give --hub after the command that it is for.")
        return
    refuse_agents()
    if not (world.interactive() and prints_to_terminal()):
        tell(context.get_help())
        raise typer.Exit(FAILED)
    from tertulia.pane.app import ChatPane

    with signed_in(hub) as asked:
        ChatPane(asked).run()
