"""The session that a verb is told of."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.errors import Invalid
from sessions_app.finding.resolving import by_label, resolve
from sessions_app.models import Session


def session_argument(parser: ArgumentParser) -> None:
    """Its key, its id or, by a switch, its label."""
    parser.add_argument("session", metavar="SESSION", nargs="?", help="its key (main is the main session) or its id")
    parser.add_argument("--label", metavar="LABEL", help="name it by its label instead")


def session_named(call: Call) -> Session:
    """The session; raises NotFound, Conflict, and Invalid where it is named twice or not at all."""
    key, label = call.options["session"], call.options["label"]
    if (key is None) == (label is None):
        raise Invalid("Name the session by its key or its id, or by --label LABEL; give one of them.")
    return by_label(call.account.pk, label) if label is not None else resolve(call.account.pk, key)
