"""What `manage.py channel` can do, a module a verb; adding one touches this list and its module."""

from accounts.command_verbs import Verb
from chat.command_verbs import export_file
from triggers.command_verbs import (
    approving,
    attention,
    complete,
    deciding,
    export,
    holding,
    import_,
    inject,
    list_,
    rules,
    servers,
)

VERBS = {
    "list": Verb("the newest push messages, oldest first; what is meant without a verb", list_.arguments, list_.run),
    "ack": Verb("mark everything as seen", attention.ack_arguments, attention.ack),
    "clear": Verb("empty the list; with --all delete everything for good", attention.clear_arguments, attention.clear),
    "inject": Verb("put the newest messages into a session, for its next turn", inject.arguments, inject.run),
    "pause": Verb("let no rule fire, and hold what is queued", holding.arguments, holding.pause),
    "resume": Verb("let rules fire again", holding.arguments, holding.resume),
    "rules": Verb("show the rules; reload them from their file; test or export some", rules.arguments, rules.run),
    "confirm": Verb("answer a rule that asks; without ID show which ones do", deciding.confirm_arguments, deciding.confirm),
    "run": Verb("have the agent look at one message now", deciding.run_arguments, deciding.run),
    "stop": Verb("stop what a firing runs, or take it out of the queue", deciding.stop_arguments, deciding.stop),
    "approve": Verb("allow a run a tool; without ID show which are asked for", approving.arguments, approving.run),
    "status": Verb("the state of every push server, and what waits", servers.status_arguments, servers.status),
    "logs": Verb("what happened to a push server's connection", servers.logs_arguments, servers.logs),
    "export": Verb("write all push messages that are kept to a new journal", export_file.arguments, export.run),
    "import": Verb("store the messages of journals that are not there yet", import_.arguments, import_.run),
    "complete": Verb("what the shell may offer next; for its completion", complete.arguments, complete.run),
}
