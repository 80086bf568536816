"""login, logout, whoami."""

from typing import Annotated

import typer

from tertulia.commands import completing
from tertulia.commands.options import HubOption, JsonOption, signed_in
from tertulia.problems import Problem

HubArgument = Annotated[
    str | None,
    typer.Argument(metavar="[HUB_URL]", show_default=False, autocompletion=completing.hubs),
]


def login(
    hub_url: HubArgument = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Sign in with a code that you type in a browser on any machine.")
    ] = False,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="What the hub calls this client.  [default: Tertulia client on HOST]")
    ] = "",
) -> None:
    """Sign in to a hub, in your browser or with a code.

    HUB_URL is the address the hub printed when it started; without it the default hub, at first http://127.0.0.1:8760.
    """
    from tertulia.address import DEFAULT_HUB, hub_address
    from tertulia.inert import line
    from tertulia.signing import sign_in
    from tertulia.store.credentials import Credentials
    from tertulia.voice import answer
    from tertulia.wire import Wire

    credentials = Credentials()
    hub = _known(hub_url) or (hub_address(hub_url) if hub_url is not None else credentials.default() or DEFAULT_HUB)
    if len(name) > 100 or not name.isprintable():
        raise Problem("--name takes one line of at most 100 characters.")
    with Wire(hub) as wire:
        held = sign_in(wire, name=name, browser=False if no_browser else None)
    answer(f"Signed in to {hub}{f' as {line(held.account, 200)}' if held.account else ''}.")
    if credentials.default() != hub:
        from tertulia.address import short_name

        answer(f"Your default hub is still {credentials.default()}; change it with: tertulia hubs use {short_name(hub)}")


def _known(named: str | None) -> str | None:
    from tertulia.address import short_name
    from tertulia.store.credentials import Credentials

    return next((hub for hub in Credentials().all() if short_name(hub) == named), None)


def logout(
    hub_url: HubArgument = None,
    local: Annotated[bool, typer.Option("--local", help="Only forget the sign-in here; do not ask the hub to end it.")] = False,
) -> None:
    """Sign out at the hub, then forget it here.

    What its sessions had read, and the topics and push messages seen, are forgotten too.
    """
    from tertulia.oauth.tokens import give_up
    from tertulia.store.channel import forget_inbox
    from tertulia.store.credentials import Credentials
    from tertulia.store.marks import forget_marks
    from tertulia.store.topics import forget_topics
    from tertulia.voice import answer
    from tertulia.wire import Wire

    credentials = Credentials()
    held = credentials.find(hub_url)
    if not local:
        try:
            with Wire(held.hub) as wire:
                give_up(wire, held)
        except Problem as problem:
            sentence = str(problem).rstrip(".")
            raise type(problem)(
                f"{sentence}; you are still signed in. To forget it here alone: tertulia logout --local"
            ) from None
    credentials.forget(held.hub)
    forget_marks(held.hub)
    forget_topics(held.hub)
    forget_inbox(held.hub)
    rest = "; revoke it there under Connections" if local else ""
    answer(f"Signed out of {held.hub}{rest}.")


def whoami(hub: HubOption = None, json: JsonOption = False) -> None:
    """Show as whom you are signed in, and where."""
    from tertulia.signing import ME
    from tertulia.view import show_table
    from tertulia.voice import answer_json

    with signed_in(hub) as asked:
        said = asked.ask("GET", ME)
    if not isinstance(said, dict):
        raise Problem(f"The hub {asked.address} did not say who you are; ask whoever runs it.")
    if json:
        answer_json(said)
        return
    scopes = said.get("scopes")
    rows = [
        ("account", said.get("account")),
        ("hub", asked.address),
        ("connection", said.get("connection_id")),
        ("client", said.get("client")),
        ("scopes", " ".join(map(str, scopes)) if isinstance(scopes, list) else ""),
    ]
    show_table(("", ""), [(name, str(value or "-")) for name, value in rows])
