"""`manage.py sessions patch`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.errors import Invalid
from sessions_app.command_verbs.named import session_argument, session_named
from sessions_app.keeping.actions import patch

COLUMNS = {
    "new_label": "label",
    "name": "display_name",
    "model": "model_override",
    "thinking": "thinking_level",
    "verbose": "verbose_level",
    "send": "send_policy",
}
"""By the switch: the column."""


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    session_argument(parser)
    parser.add_argument("--new-label", metavar="LABEL", help="by which sessions_send finds it; an empty text takes it away")
    parser.add_argument("--name", metavar="TEXT", help="what lists call it")
    parser.add_argument("--model", metavar="NAME", help="the model of its runs; an empty text: as its agent's")
    parser.add_argument("--thinking", metavar="LEVEL", help="its thinking level")
    parser.add_argument("--verbose", metavar="LEVEL", help="its verbose level")
    parser.add_argument("--send", metavar="on|off|inherit", help="whether what is said in it may leave it")


def run(call: Call) -> None:
    """Change what is given."""
    changes = {column: call.options[switch] for switch, column in COLUMNS.items() if call.options[switch] is not None}
    if not changes:
        raise Invalid("Say what to change: --new-label, --name, --model, --thinking, --verbose or --send.")
    session = patch(call.actor, session_named(call), **changes)
    call.out.write(f"{session.key} is patched")
