"""`manage.py sessions history`."""

import json
from argparse import ArgumentParser
from typing import Any

from accounts.command_verbs import Call, counted
from core.commands import add_json, as_json
from core.errors import Invalid
from core.text import inert, one_line
from sessions_app.command_verbs.named import session_argument, session_named
from sessions_app.listing.history import LIMIT_DEFAULT, LIMIT_MOST, history

ROLE_LENGTH = 16


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    session_argument(parser)
    parser.add_argument("--limit", type=int, default=LIMIT_DEFAULT, metavar="N", help=f"1 to {LIMIT_MOST}")
    parser.add_argument("--tools", action="store_true", help="with what tools answered")
    add_json(parser)


def run(call: Call) -> None:
    """Show the newest messages, secrets masked and long texts cut as for an agent."""
    given = call.options
    if not 1 <= given["limit"] <= LIMIT_MOST:
        raise Invalid(f"--limit takes 1 to {LIMIT_MOST}.")
    found = history(call.actor, None, session_named(call).key, limit=given["limit"], with_tools=given["tools"])
    messages = found.told.messages
    if given["json"]:
        call.out.write(as_json({"sessionKey": found.session.key, "messages": messages}))
        return
    for each in messages:
        call.out.write(one_line(str(each.get("role", "")), ROLE_LENGTH))
        call.out.write("\n".join(f"    {line}" for line in inert(_text(each)).split("\n")))
    left = "; earlier or longer ones are left out" if found.told.flags.truncated else ""
    call.out.write(f"{counted(len(messages), 'message', 'messages') if messages else 'no messages'}{left}")


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(_block(each) for each in blocks)


def _block(block: Any) -> str:
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else json.dumps(block, ensure_ascii=False)
