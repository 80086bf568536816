"""`manage.py chat read`."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from chat.command_verbs.pages import left_out, page_arguments, show
from chat.reading import read_page
from chat.values import PAGE_DEFAULT, PAGE_MOST


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("--after", type=int, default=0, metavar="N", help="the last_seq of the last answer; default 0")
    parser.add_argument("--limit", type=int, default=PAGE_DEFAULT, metavar="N", help=f"1 to {PAGE_MOST}")
    page_arguments(parser)


def run(call: Call) -> None:
    """Show the messages after a number."""
    given = call.options
    show(call, read_page(call.actor, after=given["after"], limit=given["limit"], exclusions=left_out(call)))
