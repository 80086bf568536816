"""`manage.py channel confirm`, `run` and `stop`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.errors import Invalid
from core.text import one_line
from triggers.firing import actions
from triggers.firing.reading import asked, one
from triggers.inbox.lines import place, preview
from triggers.models import Firing
from triggers.standing import is_paused

MOST_DIGITS, DETAIL = 18, 300


def confirm_arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    add_answer(parser, "firing")


def confirm(call: Call) -> None:
    """The owner's word on a firing that asks."""
    if call.options["number"] is None:
        _show(call)
        return
    firing = actions.confirm(call.actor, number_of(call.options["number"]), call.options["answer"])
    if firing.state == Firing.DECLINED:
        call.out.write(f"declined #{firing.number}; nothing runs")
    else:
        call.out.write(f"accepted #{firing.number}; {_becomes(call, firing)}")


def _becomes(call: Call, firing: Firing) -> str:
    """What has become of it since it was decided."""
    now = one(call.actor, firing.number) or firing
    if now.state == Firing.RUNNING:
        return f"it runs in {now.session_key}"
    if now.state == Firing.FAILED:
        return f"it failed: {one_line(now.detail, DETAIL)}"
    return "it runs once you run: manage.py channel resume" if is_paused(call.actor) else "it runs as soon as there is room"


def _show(call: Call) -> None:
    waiting = list(asked(call.actor))
    for each in waiting:
        until = f"{each.expires_at:%H:%M:%S}" if each.expires_at else ""
        about = f"{one_line(each.rule, 64)} [{place(each.server, each.channel)}] {preview(each.content)}"
        call.out.write(f"#{each.number}  until {until}  {about}")
    if not waiting:
        call.out.write("nothing waits for your word")


def run_arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("seq", metavar="SEQ", help="the message's number in the list")


def run(call: Call) -> None:
    """Run a message by hand."""
    seq = number_of(call.options["seq"])
    firing = actions.run_message(call.actor, seq)
    call.out.write(f"message #{seq} is firing #{firing.number}; {_becomes(call, firing)}")


def stop_arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("number", metavar="ID", help="of the firing")


def stop(call: Call) -> None:
    """Stop a firing."""
    firing = actions.stop(call.actor, number_of(call.options["number"]))
    call.out.write(f"stopped #{firing.number}")


def add_answer(parser: ArgumentParser, of: str) -> None:
    """Which of those that wait is answered, and how; `of`: what the number is of."""
    parser.add_argument("number", metavar="ID", nargs="?", help=f"of the {of}; without it, those that wait")
    parser.add_argument("answer", metavar="yes|no", nargs="?", default="", help="nothing: yes")


def number_of(given: str) -> int:
    """A number as it was typed, also `#7`; raises Invalid."""
    digits = given.removeprefix("#")
    if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS:
        return int(digits)
    raise Invalid(f"{one_line(given, 40)!r} is no number; the list shows them.")
