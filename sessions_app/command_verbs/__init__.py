"""What `manage.py sessions` can do, a module a verb; adding one touches this list and its module."""

from accounts.command_verbs import Verb
from sessions_app.command_verbs import archive, history, list_, open_, patch, send, spawn, stop

VERBS = {
    "list": Verb("the sessions, newest first", list_.arguments, list_.run),
    "history": Verb("what was said in a session, oldest first", history.arguments, history.run),
    "send": Verb("send a message into a session; /send on|off|inherit alone sets its send policy", send.arguments, send.run),
    "spawn": Verb("start a sub-agent of a session", spawn.arguments, spawn.run),
    "stop": Verb("stop what runs in a session, and all beneath it", stop.arguments, stop.run),
    "archive": Verb("take a session off the list", archive.arguments, archive.run),
    "patch": Verb("change a session's label, name, model, levels or send policy", patch.arguments, patch.run),
    "open": Verb("make a session under a key, such as hook:deploys", open_.arguments, open_.run),
}
