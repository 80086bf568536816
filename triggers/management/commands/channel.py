"""`manage.py channel`: an account's push inbox from a shell on the hub's machine; its verbs are in `command_verbs`."""

from accounts.command_verbs import VerbCommand
from triggers.command_verbs import VERBS


class Command(VerbCommand):
    help = "See what an account's MCP servers pushed, decide on what its rules ask, and look after both."
    verbs = VERBS
    whose = "push inbox"
    bare = "list"
    for_owner = True
