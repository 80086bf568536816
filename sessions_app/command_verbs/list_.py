"""`manage.py sessions list`."""

from argparse import ArgumentParser
from typing import Any

from accounts.command_verbs import Call, counted
from core.commands import add_json, as_json
from core.errors import Invalid
from core.text import one_line
from sessions_app import keys
from sessions_app.listing.reading import LIMIT_DEFAULT, LIMIT_MOST, MESSAGES_MOST, Wanted, kinds_of, list_sessions

NAME_LENGTH = 48


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("--kind", action="append", default=[], metavar="KIND", help=f"{', '.join(keys.KINDS)}; may be repeated")
    parser.add_argument("--active", type=int, default=0, metavar="MINUTES", help="used no longer ago")
    parser.add_argument("--limit", type=int, default=LIMIT_DEFAULT, metavar="N", help=f"1 to {LIMIT_MOST}")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="leave out the first N")
    parser.add_argument("--messages", type=int, default=0, metavar="N", help=f"of each its last N, at most {MESSAGES_MOST}")
    add_json(parser)


def run(call: Call) -> None:
    """Show them."""
    given = call.options
    in_range = 1 <= given["limit"] <= LIMIT_MOST and 0 <= given["messages"] <= MESSAGES_MOST
    if not in_range or given["offset"] < 0 or given["active"] < 0:
        raise Invalid(f"--limit takes 1 to {LIMIT_MOST}, --messages 0 to {MESSAGES_MOST}, the others 0 or more.")
    wanted = Wanted(
        kinds=kinds_of(given["kind"]),
        limit=given["limit"],
        offset=given["offset"],
        active_minutes=given["active"],
        messages=given["messages"],
    )
    found = list_sessions(call.actor, None, wanted)
    if given["json"]:
        call.out.write(as_json({"sessions": found.rows, "hasMore": found.has_more}))
        return
    for row in found.rows:
        call.out.write(_line(row))
    more = "; there is more" if found.has_more else ""
    call.out.write(f"{counted(len(found.rows), 'session', 'sessions') if found.rows else 'no sessions'}{more}")


def _line(row: dict[str, Any]) -> str:
    name = row.get("displayName") or row.get("label") or ""
    told = one_line(str(name), NAME_LENGTH)
    return f"{one_line(row['key'], keys.LONGEST_KEY)}  {row['kind']}  {row['sessionId']}{f'  {told}' if told else ''}"
