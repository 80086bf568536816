"""`manage.py chat post|read|wait`: the chat from a shell on the hub's machine."""

import asyncio
import json
import sys
from argparse import ArgumentParser
from typing import Any

from accounts.models import Account
from accounts.reading import account_of_owner
from chat import actions
from chat.reading import read_page
from chat.serializers import page_json, receipt_out
from chat.values import PAGE_DEFAULT, PAGE_MOST, Draft, Exclusions, Page
from chat.waiting import WAIT_DEFAULT, WAIT_MOST, wait
from core import executors, news
from core.actor import Actor, operator
from core.commands import HubCommand, add_json
from core.errors import Invalid

NAME = "operator"


class Command(HubCommand):
    help = "Post to an account's chat, read it, or wait for its next message."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="post|read|wait")
        posting = verbs.add_parser("post", help="store one message")
        posting.add_argument("text", metavar="TEXT", help="the message; - reads it from standard input")
        posting.add_argument("--topic", help="where it lies; default general")
        posting.add_argument("--reply-to", type=int, metavar="N", help="the number of the message it answers")
        posting.add_argument("--session-name", default=NAME, metavar="NAME", help=f"who says it; default {NAME}")
        posting.add_argument("--client-key", metavar="KEY", help="a retry with the same key is stored once")
        reading = verbs.add_parser("read", help="the messages after a number, oldest first")
        reading.add_argument("--after", type=int, default=0, metavar="N", help="the last_seq of the last answer; default 0")
        reading.add_argument("--limit", type=int, default=PAGE_DEFAULT, metavar="N", help=f"1 to {PAGE_MOST}")
        waiting = verbs.add_parser("wait", help="hold until a message comes")
        waiting.add_argument("--after", type=int, required=True, metavar="N", help="the last_seq of the last answer")
        waiting.add_argument(
            "--timeout",
            type=float,
            default=WAIT_DEFAULT,
            metavar="SECONDS",
            help=f"0 to {WAIT_MOST:.0f}; default {WAIT_DEFAULT:.0f}",
        )
        for verb in (reading, waiting):
            verb.add_argument("--exclude-topic", action="append", default=[], metavar="TOPIC", help="may be repeated")
            verb.add_argument("--exclude-session", action="append", default=[], metavar="NAME", help="may be repeated")
        for verb in (posting, reading, waiting):
            verb.add_argument("--account", metavar="EMAIL", help="whose chat; not needed while there is one account")
            add_json(verb)

    def run(self, **options: Any) -> None:
        actor = operator(_account(options["account"]).pk)
        if options["verb"] == "post":
            self._post(actor, options)
            return
        left_out = Exclusions(topics=tuple(options["exclude_topic"]), sessions=tuple(options["exclude_session"]))
        if options["verb"] == "read":
            page = read_page(actor, after=options["after"], limit=options["limit"], exclusions=left_out)
        else:
            page = asyncio.run(_wait(actor, options["after"], options["timeout"], left_out))
        self._show(page, as_json=options["json"])

    def _post(self, actor: Actor, options: dict[str, Any]) -> None:
        body = sys.stdin.read().removesuffix("\n") if options["text"] == "-" else options["text"]
        draft = Draft(
            body=body,
            session_name=options["session_name"],
            topic=options["topic"],
            reply_to=options["reply_to"],
            client_key=options["client_key"],
        )
        receipt = receipt_out(actions.post(actor, draft))
        if options["json"]:
            self.stdout.write(json.dumps(receipt.model_dump(exclude={"notice"})))
        else:
            stored = "stored as" if receipt.stored else "was stored before as"
            self.stdout.write(f"{stored} #{receipt.seq} in {receipt.topic}")

    def _show(self, page: Page, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(page_json(page), ensure_ascii=False))
            return
        for each in page.messages:
            answers = f", answers #{each.reply_to}{' (gone)' if each.reply_to_gone else ''}" if each.reply_to else ""
            came = f" via {each.connection_id}" if each.connection_id else ""
            self.stdout.write(f"#{each.seq} {each.topic} {each.created_at:%Y-%m-%d %H:%M:%S} {each.session_name}{came}{answers}")
            self.stdout.write("\n".join(f"    {line}" for line in each.body.split("\n")))
        more = "; there is more" if page.has_more else ""
        self.stdout.write(f"{len(page.messages) or 'no'} messages; go on after {page.last_seq}{more}")


def _account(email: str | None) -> Account:
    if email:
        return account_of_owner(email)
    found = list(Account.objects.order_by("pk")[:2])
    if len(found) != 1:
        raise Invalid(
            "Name the account with --account EMAIL; there is not exactly one."
            if found
            else "There is no account yet; make one with create_owner."
        )
    account: Account = found[0]
    return account


async def _wait(actor: Actor, after: int, seconds: float, left_out: Exclusions) -> Page:
    await news.start()
    try:
        return await wait(actor, after=after, timeout_seconds=seconds, exclusions=left_out)
    finally:
        await news.stop()
        executors.shut_down()
