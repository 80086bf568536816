"""What the pane draws: pieces of plain content, styled in weights alone, so that it is read without colours too. Pure."""

from textual.content import Content

from tertulia.inert import block, line
from tertulia.launches import GRANTED, LIVE, Launch
from tertulia.messages import Message
from tertulia.pane.board import Board, TopicRow
from tertulia.view.plain import reply_note
from tertulia.view.terminal import local_time

MARK, VERIFIED = "✓", "verified"
DOTS = {True: "●", False: "○"}
INDENT = "  "
SINCE_THE_YEAR = len("2026-")
LEAST_WIDTH = 8
LONGEST_NAME = 40


def launch_row(launch: Launch) -> Content:
    """One launch of the list: its handle or profile, and where it stands."""
    name = f"@{launch.handle}" if launch.state in GRANTED else launch.profile
    state = f"{launch.state}{' +wake' if launch.wake and launch.state in GRANTED else ''}"
    dot = DOTS[launch.state in GRANTED]
    return Content.assemble(
        f"{dot} ", (line(name, LONGEST_NAME), "bold" if launch.state in LIVE else "dim"), (f"\n  {line(state, 40)}", "dim")
    )


def topic_row(row: TopicRow | None) -> Content:
    """One topic of the list; None for the line that stands for all of them."""
    if row is None:
        return Content("all topics")
    unread = f" ({row.unread})" if row.unread else ""
    style = "dim" if row.archived else "bold" if row.unread else ""
    return Content.assemble((f"{line(row.topic, 100)}{unread}", style), (" archived", "dim") if row.archived else "")


def stream(board: Board, width: int) -> Content:
    """The messages, oldest first, for `width` columns."""
    if not board.messages:
        return Content.styled("Nothing here yet.", "dim")
    return Content("\n").join([message(each, board, width) for each in board.messages])


def message(each: Message, board: Board, width: int) -> Content:
    """A head, and the text within its indent on every line, so that no text can pass for a head."""
    where = "" if board.place.topic or board.place.thread else f"{line(each.topic)} "
    note = f"{reply_note(each)} " if reply_note(each) else ""
    first, *more = Content.assemble(
        (f"#{each.seq} {local_time(each.time)[SINCE_THE_YEAR:]} {where}", "dim"), (note, "italic dim"), author(each)
    ).wrap(max(LEAST_WIDTH, width - len(INDENT)))
    told = board.receipts.get(each.seq, "")
    texts = [Content(text) for text in block(each.body).expandtabs(4).split("\n")]
    texts += [Content.styled(told, "dim")] if told else []
    within = max(LEAST_WIDTH, width - len(INDENT))
    below = [*more, *(piece for text in texts for piece in text.wrap(within))]
    return Content("\n").join([first, *(Content(INDENT) + piece for piece in below)])


def author(each: Message) -> Content:
    """A name that the hub vouches for has its mark before it; another, which stands last, is what its author says."""
    if each.handle:
        return Content.assemble(f"{MARK}{VERIFIED} ", (f"@{line(each.handle)}", "bold"))
    name = line(each.session_name).replace(MARK, "\\u2713")
    if not each.connection_id:
        return Content.assemble(f"{MARK}{VERIFIED} ", (name, "bold reverse"))
    return Content.assemble((f"{line(each.connection_id)} ", "dim"), name)
