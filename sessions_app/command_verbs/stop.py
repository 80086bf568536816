"""`manage.py sessions stop`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from sessions_app.command_verbs.named import session_argument, session_named
from sessions_app.spawning.commanding.actions import stop_branch


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    session_argument(parser)


def run(call: Call) -> None:
    """Stop what runs in it and beneath it; a program ends within seconds."""
    session = session_named(call)
    stopped = stop_branch(call.actor, session)
    for each in stopped:
        call.out.write(f"stopped in {each.key}")
    if not stopped:
        call.out.write(f"nothing runs in {session.key}")
