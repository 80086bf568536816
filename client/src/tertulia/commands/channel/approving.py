"""channel approve."""

from typing import TYPE_CHECKING, Annotated

import typer

from tertulia.commands.channel.firing import AnswerArgument
from tertulia.commands.options import BrowserOption, HubOption, as_owner

if TYPE_CHECKING:
    from tertulia.owner import Owner

IdArgument = Annotated[
    str | None, typer.Argument(metavar="[ID]", help="Of the question; without it, those that wait.", show_default=False)
]


def approve(
    number: IdArgument = None,
    answer: AnswerArgument = "",
    browser: BrowserOption = False,
    hub: HubOption = None,
) -> None:
    """Allow a run a tool that its rule does not list, or deny it; without ID, show which tools are asked for.

    Asks for a proof that you are the owner.
    """
    from tertulia.channel import ACCEPTS, APPROVALS, answer_of, number_of
    from tertulia.voice import answer as tell_result

    allow, asked = answer_of(answer) in ACCEPTS, None if number is None else number_of(number)
    with as_owner(hub, browser=browser) as owner:
        if asked is None:
            _show_asked(owner)
            return
        owner.ask("POST", f"{APPROVALS}{asked}/", body={"allow": allow})
    tell_result(f"{'Allowed' if allow else 'Denied'} #{asked}; the run goes on.")


def _show_asked(owner: "Owner") -> None:
    from tertulia.channel import APPROVALS, rows_in
    from tertulia.view import show_table
    from tertulia.voice import tell

    rows = rows_in(owner.address, owner.ask("GET", APPROVALS))
    if not rows:
        tell("No run asks for a tool.")
    names = ("tool", "session_key", "arguments")
    cells = [(f"#{row.get('id', '')}", *(str(row.get(name, "")) for name in names)) for row in rows]
    show_table(("", "tool", "in", "with"), cells)
