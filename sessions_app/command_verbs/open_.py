"""`manage.py sessions open`."""

import json
from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.commands import add_json
from sessions_app.keeping.actions import open_session
from sessions_app.keeping.values import Place


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("key", metavar="KEY", help="such as main, hook:deploys, agent:main:telegram:group:-100123")
    parser.add_argument("--label", default="", metavar="LABEL", help="by which sessions_send finds it")
    parser.add_argument("--name", default="", metavar="TEXT", help="what lists call it")
    parser.add_argument("--channel", default="", metavar="CHANNEL", help="where it is answered, such as webchat or telegram")
    parser.add_argument("--to", default="", metavar="TO", help="whom there")
    parser.add_argument("--to-account", default="", metavar="ID", help="by which of your accounts there")
    parser.add_argument("--thread", default="", metavar="ID", help="in which thread there")
    add_json(parser)


def run(call: Call) -> None:
    """Make the session."""
    given = call.options
    place = Place(channel=given["channel"], to=given["to"], account=given["to_account"], thread=given["thread"])
    made = open_session(
        call.actor, account_id=call.account.pk, key=given["key"], label=given["label"], display_name=given["name"], place=place
    )
    told = {"sessionKey": made.key, "sessionId": str(made.session_id)}
    call.out.write(json.dumps(told) if given["json"] else f"opened {made.key} ({made.session_id})")
