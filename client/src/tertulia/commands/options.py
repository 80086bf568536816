"""Options that several commands share, and what they open."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from tertulia.commands import completing
from tertulia.problems import Problem, Refused

if TYPE_CHECKING:
    from tertulia.owner import Owner
    from tertulia.signing import Asked, Hub

HubOption = Annotated[
    str | None,
    typer.Option(
        "--hub",
        envvar="TERTULIA_HUB",
        metavar="HUB",
        help="The hub, by address or by its name in `tertulia hubs`.  [default: the default hub]",
        autocompletion=completing.hubs,
    ),
]
SessionOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        envvar="TERTULIA_SESSION",
        metavar="SESSION_NAME",
        help="What this session is called: give each agent its own.  [default: USER@HOST]",
        autocompletion=completing.sessions,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON: one line of ASCII.")]
ExcludeTopicOption = Annotated[
    list[str],
    typer.Option("--exclude-topic", metavar="TOPIC", help="Leave out this topic; repeatable.", autocompletion=completing.topics),
]
ExcludeSessionOption = Annotated[
    list[str],
    typer.Option(
        "--exclude-session",
        metavar="SESSION_NAME",
        help="Leave out posts under exactly this name, your own for one; repeatable.",
        autocompletion=completing.sessions,
    ),
]
AfterOption = Annotated[
    str | None,
    typer.Option(
        "--after",
        metavar="N|latest",
        help="Begin after message N (0: from the start), or after the newest.  [default: where this session left off]",
    ),
]
MaintainerOption = Annotated[
    bool, typer.Option("--maintainer", help="As the owner in person, called maintainer; asks for a fresh proof.")
]
BrowserOption = Annotated[
    bool, typer.Option("--browser", help="Prove that you are the owner in a browser, not by typing the password.")
]


def refuse_before_the_command(context: typer.Context, *names: str) -> None:
    """Raise Problem where one of these options of a group was given before the command in it."""
    given = [context.get_parameter_source(name) for name in names]
    if any(each is not None and each.name == "COMMANDLINE" for each in given):
        raise Problem("Give options after the command that they are for.")


@contextmanager
def signed_in(named: str | None) -> "Iterator[Hub]":
    """The hub that is meant, asked as who is signed in there; raises Problem."""
    from tertulia.signing import Hub
    from tertulia.store.credentials import Credentials
    from tertulia.wire import Wire

    held = Credentials().find(named)
    with Wire(held.hub) as wire:
        yield Hub(wire, held)


@contextmanager
def as_owner(named: str | None, *, browser: bool) -> "Iterator[Owner]":
    """The hub, asked as its owner in person, who is asked to show himself; raises Refused within an agent's process tree."""
    from tertulia.owner import Owner, at_terminal
    from tertulia.tree import refuse_agents

    refuse_agents()
    with signed_in(named) as hub:
        yield Owner(hub, at_terminal(browser=browser))


@contextmanager
def opened(named: str | None, *, maintainer: bool, browser: bool, agents_too: bool = False) -> "Iterator[Asked]":
    """The hub, asked in person or as who is signed in. `agents_too`: also within an agent's process tree, if not in person."""
    from tertulia.chat import NOT_GRANTED
    from tertulia.tree import is_agents, refuse_agents

    if maintainer or browser:
        with as_owner(named, browser=browser) as owner:
            yield owner
        return
    if not agents_too:
        refuse_agents()
    with signed_in(named) as hub:
        try:
            yield hub
        except Refused as refused:
            if refused.code != NOT_GRANTED or is_agents():
                raise
            raise Refused(f"{str(refused).rstrip('.')}; as the owner in person: add --maintainer") from None


def session_name(given: str | None) -> str:
    """The name this session goes by; raises Problem for one that the hub would refuse."""
    from tertulia.inert import line

    name = _own_name() if given is None else given
    if not (1 <= len(name) <= 64 and name.isprintable()):
        raise Problem(f"{line(name, 80)!r} is no session name; give --as 1 to 64 printable characters.")
    return name


def _own_name() -> str:
    import getpass
    import platform

    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):
        user = "somebody"
    return f"{user}@{platform.node().partition('.')[0] or 'here'}"[:64]


def number_after(given: str) -> int | None:
    """The number typed, None for `latest`; raises Problem."""
    from tertulia.inert import line

    if given == "latest":
        return None
    if given.isascii() and given.isdigit() and len(given) <= 18:
        return int(given)
    raise Problem(f"--after takes the number of a message, or latest; not {line(given, 40)!r}.")
