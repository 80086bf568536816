"""What `read` and `wait` share: exclusions, and how a page is shown."""

from argparse import ArgumentParser

from accounts.command_verbs import Call
from chat.serializers import page_json
from chat.values import Exclusions, Page
from core.commands import add_json, as_json
from core.text import inert


def page_arguments(parser: ArgumentParser) -> None:
    """What to leave out, and the form of the answer."""
    parser.add_argument("--exclude-topic", action="append", default=[], metavar="TOPIC", help="may be repeated")
    parser.add_argument("--exclude-session", action="append", default=[], metavar="NAME", help="may be repeated")
    add_json(parser)


def left_out(call: Call) -> Exclusions:
    """The exclusions given."""
    return Exclusions(topics=tuple(call.options["exclude_topic"]), sessions=tuple(call.options["exclude_session"]))


def show(call: Call, page: Page) -> None:
    """Print the page."""
    if call.options["json"]:
        call.out.write(as_json(page_json(page)))
        return
    for each in page.messages:
        answers = f", answers #{each.reply_to}{' (gone)' if each.reply_to_gone else ''}" if each.reply_to else ""
        came = f" via {each.connection_id}" if each.connection_id else ""
        call.out.write(f"#{each.seq} {each.topic} {each.created_at:%Y-%m-%d %H:%M:%S} {each.session_name}{came}{answers}")
        call.out.write("\n".join(f"    {line}" for line in inert(each.body).split("\n")))
    more = "; there is more" if page.has_more else ""
    call.out.write(f"{len(page.messages) or 'no'} messages; go on after {page.last_seq}{more}")
