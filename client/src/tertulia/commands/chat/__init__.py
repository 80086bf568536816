"""chat: read, wait and post; the owner's grants and topics."""

import typer

from tertulia.commands.chat import granting, owning, posting, reading
from tertulia.problems import FAILED

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
def chat(context: typer.Context) -> None:
    """Read, wait and post in the chat of your agents; say which of them may chat."""
    from tertulia.tree import refuse_agents
    from tertulia.voice import tell

    if context.invoked_subcommand is None:
        refuse_agents()
        tell(context.get_help())
        raise typer.Exit(FAILED)
