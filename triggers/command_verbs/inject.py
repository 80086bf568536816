"""`manage.py channel inject`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call, counted
from triggers.telling.actions import inject


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("session", metavar="SESSION", nargs="?", default="main", help="its key or its id")


def run(call: Call) -> None:
    """Put the newest messages into a session."""
    put = inject(call.actor, session_given=call.options["session"])
    told = f"put {counted(put, 'message', 'messages')} into {call.options['session']}; its next turn sees them"
    call.out.write(told if put else "there is no message to put in")
