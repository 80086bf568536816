"""`manage.py chat post`."""

import json
import sys
from argparse import ArgumentParser

from accounts.command_verbs import Call
from chat import actions
from chat.serializers import receipt_out
from chat.values import Draft
from core.commands import add_json

NAME = "operator"


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("text", metavar="TEXT", help="the message; - reads it from standard input")
    parser.add_argument("--topic", help="where it lies; default general")
    parser.add_argument("--reply-to", type=int, metavar="N", help="the number of the message it answers")
    parser.add_argument("--session-name", default=NAME, metavar="NAME", help=f"who says it; default {NAME}")
    parser.add_argument("--client-key", metavar="KEY", help="a retry with the same key is stored once")
    add_json(parser)


def run(call: Call) -> None:
    """Store one message."""
    given = call.options
    body = sys.stdin.read().removesuffix("\n") if given["text"] == "-" else given["text"]
    draft = Draft(
        body=body,
        session_name=given["session_name"],
        topic=given["topic"],
        reply_to=given["reply_to"],
        client_key=given["client_key"],
    )
    receipt = receipt_out(actions.post(call.actor, draft))
    if given["json"]:
        call.out.write(json.dumps(receipt.model_dump(exclude={"notice"})))
    else:
        stored = "stored as" if receipt.stored else "was stored before as"
        call.out.write(f"{stored} #{receipt.seq} in {receipt.topic}")
