"""`manage.py sessions`: an account's sessions from a shell on the hub's machine; its verbs are in `command_verbs`."""

from accounts.command_verbs import VerbCommand
from sessions_app.command_verbs import VERBS


class Command(VerbCommand):
    help = "List an account's sessions, read them, send into them, start and stop what runs there, and name them."
    verbs = VERBS
    whose = "sessions"
