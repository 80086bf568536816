"""`manage.py channel pause` and `resume`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from triggers.firing import actions


def arguments(parser: ArgumentParser) -> None:
    """They take none."""


def pause(call: Call) -> None:
    """Hold rules and queue."""
    actions.pause(call.actor)
    call.out.write("paused: no rule fires until you run: manage.py channel resume")


def resume(call: Call) -> None:
    """Let them go on."""
    actions.resume(call.actor)
    call.out.write("rules fire again")
