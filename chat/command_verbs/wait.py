"""`manage.py chat wait`."""

import asyncio
from argparse import ArgumentParser

from accounts.command_verbs import Call
from chat.command_verbs.pages import left_out, page_arguments, show
from chat.values import Page
from chat.waiting import WAIT_DEFAULT, WAIT_MOST, wait
from core import executors, news


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("--after", type=int, required=True, metavar="N", help="the last_seq of the last answer")
    parser.add_argument(
        "--timeout",
        type=float,
        default=WAIT_DEFAULT,
        metavar="SECONDS",
        help=f"0 to {WAIT_MOST:.0f}; default {WAIT_DEFAULT:.0f}",
    )
    page_arguments(parser)


def run(call: Call) -> None:
    """Hold until a message comes or the time is up, and show the page."""
    show(call, asyncio.run(_wait(call)))


async def _wait(call: Call) -> Page:
    given = call.options
    await news.start()
    try:
        return await wait(call.actor, after=given["after"], timeout_seconds=given["timeout"], exclusions=left_out(call))
    finally:
        await news.stop()
        executors.shut_down()
