"""chat grant, revoke, grants."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tertulia.commands.options import BrowserOption, HubOption, JsonOption, MaintainerOption, as_owner, opened
from tertulia.problems import Problem, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from tertulia.launches import Launch

LaunchArgument = Annotated[
    str, typer.Argument(metavar="LAUNCH", help="Its key in `tertulia chat grants`, the beginning of it, or its profile.")
]


def grant(
    launch: LaunchArgument,
    wake: Annotated[
        bool, typer.Option("--wake", help="Also let a mention wake it, by typing one fixed line into its pane.")
    ] = False,
    handle: Annotated[
        str | None, typer.Option("--as", metavar="HANDLE", help="What the others call it.  [default: its profile]")
    ] = None,
    browser: BrowserOption = False,
    hub: HubOption = None,
) -> None:
    """Let one launched agent chat. Shows which one, and has its handle typed; asks for a proof that you are the owner."""
    from tertulia.launches import chosen, listed, path_of
    from tertulia.surroundings import world
    from tertulia.voice import answer

    if not world.interactive():
        raise Refused("A grant is given at a terminal of your own; run it in one, or use the hub's pages.")
    with as_owner(hub, browser=browser) as owner:
        meant = chosen(listed(owner)[0], launch)
        name = handle or meant.suggested_handle
        _show(meant, name, wake=wake)
        typed = world.ask(f"Type the handle {name} to grant it: ").strip()
        given = _refused_or(
            lambda: owner.ask("POST", path_of(meant, "grant"), body={"handle": name, "wake": wake, "typed": typed})
        )
    answer(f"Granted: {meant.key} chats as @{name}{' and is woken by a mention' if wake else ''}.")
    _tell_note(given)


def revoke(launch: LaunchArgument, browser: BrowserOption = False, hub: HubOption = None) -> None:
    """End a launched agent's grant; its next call is refused."""
    from tertulia.launches import chosen, listed, path_of
    from tertulia.voice import answer

    with as_owner(hub, browser=browser) as owner:
        meant = chosen(listed(owner)[0], launch)
        owner.ask("POST", path_of(meant, "revoke"))
    answer(f"Revoked: {meant.key}{f' chats no longer as @{meant.handle}' if meant.handle else ''}.")


def grants(
    maintainer: MaintainerOption = False, browser: BrowserOption = False, hub: HubOption = None, json: JsonOption = False
) -> None:
    """List the launches and their grants, newest first; without --maintainer those of this sign-in alone."""
    from tertulia.launches import listed
    from tertulia.view import show_table
    from tertulia.voice import answer_json, tell

    with opened(hub, maintainer=maintainer, browser=browser) as to:
        rows, raw = listed(to, live=False)
    if json:
        answer_json({"results": raw})
        return
    if not rows:
        tell("No agent was launched yet; start one with: tertulia launch -- COMMAND")
    show_table(
        ("launch", "profile", "handle", "state", "may", "harness", "host", "pane"),
        [
            (
                each.key,
                each.profile,
                f"@{each.handle}" if each.handle else "",
                each.state,
                each.leave,
                each.shown_harness,
                each.host,
                each.shown_pane,
            )
            for each in rows
        ],
    )


def _show(launch: "Launch", handle: str, *, wake: bool) -> None:
    from tertulia.launches import WARNING
    from tertulia.voice import tell

    leave = "chat, and be woken by a mention" if wake else "chat"
    for name, value in [*launch.facts(), ("handle", f"@{handle}"), ("may", leave)]:
        tell(f"  {name:8} {value}")
    tell(WARNING)


def _refused_or(deed: "Callable[[], Any]") -> Any:
    """Whatever reason the hub has not to grant is a refusal."""
    try:
        return deed()
    except Problem as problem:
        if problem.code:
            raise Refused(str(problem)) from None
        raise


def _tell_note(given: Any) -> None:
    from tertulia.inert import line
    from tertulia.voice import tell

    note = given.get("note") if isinstance(given, dict) else None
    if isinstance(note, str) and note:
        tell(f"Note: {line(note, 200)}")
