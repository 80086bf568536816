"""channel confirm, run, stop, pause, resume."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tertulia.commands.channel import completing
from tertulia.commands.options import BrowserOption, HubOption, as_owner

if TYPE_CHECKING:
    from tertulia.owner import Owner

IdArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[ID]", help="Of the firing; without it, those that wait.", autocompletion=completing.waiting, show_default=False
    ),
]
AnswerArgument = Annotated[
    str, typer.Argument(metavar="[yes|no]", help="Nothing: yes.", autocompletion=completing.answers, show_default=False)
]


def confirm(
    number: IdArgument = None,
    answer: AnswerArgument = "",
    browser: BrowserOption = False,
    hub: HubOption = None,
) -> None:
    """Answer a rule that asks you before it acts; without ID, show which ones ask.

    An unanswered question ends after 30 minutes. Asks for a proof that you are the owner.
    """
    from tertulia.channel import ACCEPTS, FIRINGS, answer_of, number_of
    from tertulia.store.channel import forget_waiting
    from tertulia.voice import answer as tell_result

    meant, asked = answer_of(answer), None if number is None else number_of(number)
    with as_owner(hub, browser=browser) as owner:
        if asked is None:
            _show_waiting(owner)
            return
        said = owner.ask("POST", f"{FIRINGS}{asked}/confirm/", body={"answer": meant})
        forget_waiting(owner.address, asked)
    tell_result(f"Accepted #{asked}: {_becomes(said)}" if meant in ACCEPTS else f"Declined #{asked}; nothing runs.")


def _becomes(said: Any) -> str:
    from tertulia.inert import line

    told = said if isinstance(said, dict) else {}
    session = told.get("session_key")
    if told.get("state") == "failed":
        return f"it failed: {line(str(told.get('detail', '')), 300)}"
    if isinstance(session, str) and session:
        return f"it runs in {line(session, 80)}."
    return "it runs as soon as there is room; while rules are paused, once you run: tertulia channel resume"


def _show_waiting(owner: "Owner") -> None:
    from tertulia.channel import FIRINGS, rows_in, waiting_in
    from tertulia.problems import Problem
    from tertulia.store.channel import remember_waiting
    from tertulia.view import show_table
    from tertulia.view.terminal import local_time
    from tertulia.voice import tell

    rows = rows_in(owner.address, owner.ask("GET", FIRINGS, query=[("state", "asked")]))
    try:
        waiting = sorted(waiting_in(rows), key=lambda each: each.number)
    except (KeyError, TypeError):
        raise Problem(f"The hub {owner.address} answered without firings; ask whoever runs it.") from None
    remember_waiting(owner.address, waiting)
    if not waiting:
        tell("Nothing waits for your word.")
    says = {row["number"]: str(row.get("preview", "")) for row in rows}
    cells = [(f"#{each.number}", local_time(each.until), each.about, says[each.number]) for each in waiting]
    show_table(("", "until", "rule", "message"), cells)


def run(
    seq: Annotated[
        str, typer.Argument(metavar="SEQ", help="The message's number in the list.", autocompletion=completing.messages)
    ],
    browser: BrowserOption = False,
    hub: HubOption = None,
) -> None:
    """Have your agent look at one message of the list now. Asks for a proof that you are the owner."""
    from tertulia.channel import MESSAGES, field, number_of
    from tertulia.voice import answer

    asked = number_of(seq)
    with as_owner(hub, browser=browser) as owner:
        said = owner.ask("POST", f"{MESSAGES}{asked}/run/")
        number = field(owner.address, said, "number")
    answer(f"Message #{asked} is firing #{number}: {_becomes(said)}")


def stop(
    number: Annotated[str, typer.Argument(metavar="ID", help="Of the firing.")],
    browser: BrowserOption = False,
    hub: HubOption = None,
) -> None:
    """Stop what a firing runs, or take it out of the queue."""
    from tertulia.channel import FIRINGS, number_of
    from tertulia.voice import answer

    asked = number_of(number)
    with as_owner(hub, browser=browser) as owner:
        owner.ask("POST", f"{FIRINGS}{asked}/stop/")
    answer(f"Stopped #{asked}.")


def pause(browser: BrowserOption = False, hub: HubOption = None) -> None:
    """Let no rule fire, and hold what is queued. Messages are stored all the same."""
    from tertulia.channel import PAUSE
    from tertulia.voice import answer

    with as_owner(hub, browser=browser) as owner:
        owner.ask("POST", PAUSE)
    answer("Paused: no rule fires until you run: tertulia channel resume")


def resume(browser: BrowserOption = False, hub: HubOption = None) -> None:
    """Let rules fire again; what was queued goes on."""
    from tertulia.channel import RESUME
    from tertulia.voice import answer

    with as_owner(hub, browser=browser) as owner:
        owner.ask("POST", RESUME)
    answer("Rules fire again.")
