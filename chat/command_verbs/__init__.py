"""What `manage.py chat` can do, a module a verb; adding one touches this list and its module."""

from collections.abc import Callable
from dataclasses import dataclass

from chat.command_verbs import export, import_, post, read, wait
from chat.command_verbs.call import Call


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: its line of help, its arguments, its work."""

    help: str
    arguments: Callable[..., None]
    run: Callable[[Call], None]


VERBS = {
    "post": Verb("store one message", post.arguments, post.run),
    "read": Verb("the messages after a number, oldest first", read.arguments, read.run),
    "wait": Verb("hold until a message comes", wait.arguments, wait.run),
    "export": Verb("write the whole chat to a new file", export.arguments, export.run),
    "import": Verb("store the messages of an exported file that are not there yet", import_.arguments, import_.run),
}
