"""The session that a verb is told of."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.errors import Invalid
from sessions_app.finding.actions import reach_or_open
from sessions_app.finding.resolving import by_label, resolve
from sessions_app.models import Session, SessionSettings


def session_argument(parser: ArgumentParser) -> None:
    """Its key, its id or, by a switch, its label."""
    parser.add_argument("session", metavar="SESSION", nargs="?", help="its key (main is the main session) or its id")
    parser.add_argument("--label", metavar="LABEL", help="name it by its label instead")


def session_named(call: Call, *, to_open: bool = False) -> Session:
    """The session; raises NotFound, Conflict, and Invalid where it is named twice or not at all. `to_open`: an agent's main
    session is made where there is none yet."""
    key, label = call.options["session"], call.options["label"]
    if (key is None) == (label is None):
        raise Invalid("Name the session by its key or its id, or by --label LABEL; give one of them.")
    if label is not None:
        return by_label(call.account.pk, label)
    if to_open:
        return reach_or_open(SessionSettings.objects.get(pk=call.account.pk), None, key, "send")
    return resolve(call.account.pk, key)
