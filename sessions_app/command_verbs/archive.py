"""`manage.py sessions archive`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from sessions_app.command_verbs.named import session_argument, session_named
from sessions_app.spawning.archiving.actions import archive


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    session_argument(parser)


def run(call: Call) -> None:
    """Stop what runs in it and take it off the list; its transcript stays until the clean-up."""
    session = session_named(call)
    key = session.key
    archive(call.actor, session)
    call.out.write(f"{key} is archived")
