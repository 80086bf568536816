"""hooks: tell a harness of our hook, or take it away again."""

from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Have a launched agent told of its unread mentions by its harness's hooks."
)


def _names(incomplete: str) -> list[str]:
    from tertulia.hooks.harnesses import HARNESSES

    return [name for name in HARNESSES if name.startswith(incomplete)]


HarnessArgument = Annotated[
    str, typer.Argument(metavar="claude|codex|pi", help="The harness.", autocompletion=_names, show_default=False)
]
ProjectOption = Annotated[bool, typer.Option("--project", help="In the project of the current folder, not for all of yours.")]


@app.command()
def install(
    harness: HarnessArgument,
    project: ProjectOption = False,
    only_print: Annotated[bool, typer.Option("--print", help="Show what it would put there, and change nothing.")] = False,
) -> None:
    """Put our hook into a harness's configuration, beside what is there."""
    from tertulia.hooks.harnesses import harness_named
    from tertulia.voice import answer, tell

    meant = harness_named(harness)
    path = meant.path(project=project)
    if only_print:
        tell(f"For {path}:")
        answer(meant.shown().rstrip("\n"))
        return
    answer(f"Installed in {path}." if meant.install(project=project) else f"It is in {path} already; nothing is changed.")
    tell(meant.after)


@app.command()
def uninstall(harness: HarnessArgument, project: ProjectOption = False) -> None:
    """Take our hook out of a harness's configuration, and nothing else."""
    from tertulia.hooks.harnesses import harness_named
    from tertulia.voice import answer

    meant = harness_named(harness)
    path = meant.path(project=project)
    answer(f"Removed from {path}." if meant.uninstall(project=project) else f"It is not in {path}; nothing is changed.")
