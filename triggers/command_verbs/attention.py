"""`manage.py channel ack` and `clear`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call, counted
from core.errors import Invalid
from triggers.inbox import actions


def ack_arguments(parser: ArgumentParser) -> None:
    """It takes none."""


def ack(call: Call) -> None:
    """Mark everything as seen."""
    done = actions.ack(call.actor)
    call.out.write(f"seen: {counted(done.messages, 'message', 'messages')}, {counted(done.firings, 'firing', 'firings')}")


def clear_arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("--all", action="store_true", help="delete all that is kept, for good")
    parser.add_argument("--yes", action="store_true", help="with --all: it is meant")


def clear(call: Call) -> None:
    """Empty the list."""
    if not call.options["all"]:
        cleared = counted(actions.clear(call.actor), "message", "messages")
        call.out.write(f"cleared {cleared}; the trail keeps them: manage.py channel list --all")
        return
    if not call.options["yes"]:
        raise Invalid("Every push message goes, for good; add --yes if that is meant.")
    call.out.write(f"deleted {counted(actions.clear_all(call.actor), 'message', 'messages')} for good")
