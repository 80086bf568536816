"""launch, mcp."""

from typing import Annotated

import typer

from tertulia.commands.options import HubOption

ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="What this agent is for, such as lead: its handle is offered from it.  [default: the command's name]",
    ),
]
CommandArgument = Annotated[
    list[str], typer.Argument(metavar="-- COMMAND...", show_default=False, help="The agent, with its own arguments.")
]


def launch(command: CommandArgument, profile: ProfileOption = None, hub: HubOption = None) -> None:
    """Start an agent in this terminal, so that its owner can grant it the chat.

    It runs as if started by hand, and ends with its exit code. Beside it goes what tells the hub of it, hands it the chat's tools
    and lets its hooks speak; while the hub is away it goes on, and `tertulia doctor` says so.
    """
    from tertulia.launch.starting import launch as start

    start(command, profile=profile, hub=hub)


def mcp() -> None:
    """Be the MCP server of an agent that `tertulia launch` started: its harness runs this, over standard input and output."""
    from tertulia.launch.relay import run

    raise typer.Exit(run())
