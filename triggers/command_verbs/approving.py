"""`manage.py channel approve`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from core.errors import Invalid
from core.text import one_line
from sessions_app.owning.reading import approval, approvals
from sessions_app.owning.showing import spelled
from sessions_app.runners.approvals.actions import decide
from triggers.command_verbs.deciding import add_answer, number_of
from triggers.firing.actions import NO, YES

SHOWN = 500


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    add_answer(parser, "question")


def run(call: Call) -> None:
    """The owner's word on a tool that a run asks for."""
    if call.options["number"] is None:
        _show(call)
        return
    word = call.options["answer"].strip().lower()
    if word not in YES | NO:
        raise Invalid("Answer yes or no: approve ID [yes|no].")
    number = number_of(call.options["number"])
    decide(call.actor, approval(call.actor, number), word in YES)
    call.out.write(f"{'allowed' if word in YES else 'denied'} #{number}; the run goes on")


def _show(call: Call) -> None:
    waiting = approvals(call.actor)
    for each in waiting:
        told = one_line(spelled(each.arguments), SHOWN)
        call.out.write(f"#{each.pk}  {one_line(each.tool, 128)}  in {one_line(each.run.session.key, 256)}  {told}")
    if not waiting:
        call.out.write("no run asks for a tool")
