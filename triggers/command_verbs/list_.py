"""`manage.py channel list`, and `manage.py channel`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.commands import add_json, as_json
from core.errors import Invalid
from triggers.inbox.lines import list_line
from triggers.inbox.reading import banner, listed
from triggers.serializers import banner_lines, banner_out, inbox_out
from triggers.standing import is_paused, waiting
from triggers.values import LIST_SHOWN

MOST = 200


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="one channel alone; * is all")
    parser.add_argument("--all", action="store_true", help="those that were cleared too")
    parser.add_argument("--limit", type=int, default=LIST_SHOWN, metavar="N", help=f"1 to {MOST}")
    add_json(parser)


def run(call: Call) -> None:
    """Show what is new, then the messages, then how many there are."""
    given = call.options
    if not 1 <= given["limit"] <= MOST:
        raise Invalid(f"--limit takes 1 to {MOST}.")
    found = listed(call.actor, channel=given["name"], every=given["all"], limit=given["limit"])
    paused = is_paused(call.actor)
    told = banner(call.actor)
    if given["json"]:
        call.out.write(as_json(inbox_out(found, banner_out(told, waiting(call.actor)), paused=paused).model_dump(mode="json")))
        return
    for line in banner_lines(told) if told else ():
        call.out.write(line)
    if paused:
        call.out.write("Paused: no rule fires until you run: manage.py channel resume")
    for message in found.messages:
        call.out.write(list_line(message))
    call.out.write(f"{found.total} in all, {found.unread} unread" if found.messages else f"no messages ({found.total} in all)")
