"""`manage.py channel status` and `logs`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.commands import add_json, as_json
from core.errors import Invalid
from core.text import one_line
from triggers.logs.actions import KEPT
from triggers.logs.reading import lines
from triggers.serializers import line_out, status_out
from triggers.standing import ServerStands, standing

LINES = 50


def status_arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    add_json(parser)


def status(call: Call) -> None:
    """How the push inbox and its servers stand."""
    stands = standing(call.actor)
    if call.options["json"]:
        call.out.write(as_json(status_out(stands).model_dump(mode="json")))
        return
    call.out.write(f"rules: {stands.rules}{', paused' if stands.paused_at else ''}")
    call.out.write(f"messages: {stands.total}, {stands.unread} unread")
    call.out.write(f"firings: {stands.queued} queued, {stands.asked} waiting for you, {stands.running} running")
    for each in stands.servers:
        call.out.write(_line(each))
    if not stands.servers:
        call.out.write("no push servers")


def _line(each: ServerStands) -> str:
    held = each.server
    came = f"{held.received} received, {held.shed} shed"
    reason = f": {one_line(held.reason, 300)}" if held.reason else ""
    return f"{held.name}  {held.transport}  {each.state}  {came}{reason}"


def logs_arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("name", metavar="NAME", help="of the push server")
    parser.add_argument("--limit", type=int, default=LINES, metavar="N", help=f"1 to {KEPT}")
    add_json(parser)


def logs(call: Call) -> None:
    """What happened to its connection, oldest first."""
    if not 1 <= call.options["limit"] <= KEPT:
        raise Invalid(f"--limit takes 1 to {KEPT}.")
    found = lines(call.actor, call.options["name"], call.options["limit"])
    if call.options["json"]:
        call.out.write(as_json({"results": [line_out(each).model_dump() for each in found]}))
        return
    for each in found:
        call.out.write(f"{each.at:%Y-%m-%d %H:%M:%S}  {each.state}  {each.said}")
    if not found:
        call.out.write("nothing has happened yet")
