"""`manage.py sessions send`."""

import json
import sys
from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.commands import add_json
from sessions_app.command_verbs.named import session_named
from sessions_app.keeping.words import owner_message, policy_in
from sessions_app.sending.actions import send


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("text", metavar="TEXT", help="the message; - reads it from standard input")
    parser.add_argument("--to", dest="session", metavar="SESSION", help="the session's key (main is the main session) or id")
    parser.add_argument("--label", metavar="LABEL", help="name the session by its label instead")
    parser.add_argument("--deliver", action="store_true", help="send the answer to the session's route")
    add_json(parser)


def run(call: Call) -> None:
    """Queue one message; the answer is in the history once its agent has given it."""
    given = call.options
    session = session_named(call, to_open=True)
    text = sys.stdin.read().removesuffix("\n") if given["text"] == "-" else given["text"]
    if owner_message(call.actor, session, text):
        said = policy_in(text)
        call.out.write(json.dumps({"sendPolicy": said}) if given["json"] else f"the send policy of {session.key} is {said}")
        return
    _, run_ = send(call.actor, requester=None, target=session, message=text, waits=False, deliver=given["deliver"])
    told = {"runId": run_.run_id, "status": "accepted", "sessionKey": session.key}
    call.out.write(json.dumps(told) if given["json"] else f"queued in {session.key} as run {run_.run_id}")
