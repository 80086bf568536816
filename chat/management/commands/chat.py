"""`manage.py chat`: an account's chat from a shell on the hub's machine; its verbs are in `chat.command_verbs`."""

from accounts.command_verbs import VerbCommand
from chat.command_verbs import VERBS


class Command(VerbCommand):
    help = "Post to an account's chat, read it, wait for its next message, or carry it to a file and back."
    verbs = VERBS
    whose = "chat"
