"""What `manage.py chat` can do, a module a verb; adding one touches this list and its module."""

from accounts.command_verbs import Verb
from chat.command_verbs import export, export_file, import_, post, read, wait

VERBS = {
    "post": Verb("store one message", post.arguments, post.run),
    "read": Verb("the messages after a number, oldest first", read.arguments, read.run),
    "wait": Verb("hold until a message comes", wait.arguments, wait.run),
    "export": Verb("write the whole chat to a new file", export_file.arguments, export.run),
    "import": Verb("store the messages of an exported file that are not there yet", import_.arguments, import_.run),
}
