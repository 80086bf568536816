"""`manage.py channel complete`: asked by the shell, with the words typed so far, the last one perhaps not whole."""

import re
from argparse import REMAINDER, ArgumentParser
from collections.abc import Callable, Iterable, Sequence

from accounts.command_verbs import Call
from core.text import one_line
from sessions_app.owning.reading import approvals
from triggers.firing.reading import asked, of_account
from triggers.inbox.lines import place
from triggers.inbox.reading import listed, places
from triggers.models import Firing
from triggers.servers.reading import servers
from triggers.values import LIST_SHOWN

OWN = "complete"
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]*")
"""A shell puts what it is offered into a command line: no other name of a channel goes there, whoever pushed under it."""
ABOUT = 300
Offer = tuple[str, str]
"""A word, and what it is about."""


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("words", metavar="WORD", nargs=REMAINDER, help="after `channel`; the last one may be empty")


def run(call: Call) -> None:
    """Print each word that may come next, with a tab before what it is about."""
    typed = call.options["words"]
    *before, begun = (typed[1:] if typed[:1] == ["--"] else typed) or [""]
    for word, about in offers(call, before):
        if word.startswith(begun):
            call.out.write(f"{word}\t{one_line(about, ABOUT)}" if about else word)


def offers(call: Call, before: Sequence[str]) -> list[Offer]:
    """What may come after these words."""
    from triggers.command_verbs import VERBS

    if not before:
        return [(name, verb.help) for name, verb in VERBS.items() if name != OWN]
    found = _AFTER.get((before[0], len(before)))
    return found(call) if found else []


def _waiting(call: Call) -> list[Offer]:
    return _firings(asked(call.actor))


def _going_on(call: Call) -> list[Offer]:
    held = of_account(call.actor).filter(state__in=(Firing.QUEUED, Firing.RUNNING))
    return _firings(held.order_by("number"))


def _firings(rows: Iterable[Firing]) -> list[Offer]:
    return [(str(each.number), f"{each.rule} ({place(each.server, each.channel)})") for each in rows]


def _tools(call: Call) -> list[Offer]:
    return [(str(each.pk), f"{each.tool} ({each.run.session.key})") for each in approvals(call.actor)]


def _messages(call: Call) -> list[Offer]:
    newest = listed(call.actor, limit=LIST_SHOWN).messages[::-1]
    return [(str(each.seq), place(each.server, each.channel)) for each in newest]


def _channels(call: Call) -> list[Offer]:
    names = {each.channel for each in places(call.actor)}
    return [(name, "") for name in sorted(filter(PLAIN.fullmatch, names))]


def _servers(call: Call) -> list[Offer]:
    return [(each.name, "") for each in servers(call.actor)]


def _words(*words: str) -> Callable[[Call], list[Offer]]:
    return lambda call: [(word, "") for word in words]


_AFTER: dict[tuple[str, int], Callable[[Call], list[Offer]]] = {
    ("list", 1): _channels,
    ("clear", 1): _words("--all"),
    ("inject", 1): _words("main"),
    ("rules", 1): _words("reload", "test", "export"),
    ("confirm", 1): _waiting,
    ("confirm", 2): _words("yes", "no"),
    ("stop", 1): _going_on,
    ("approve", 1): _tools,
    ("approve", 2): _words("yes", "no"),
    ("run", 1): _messages,
    ("logs", 1): _servers,
}
