"""What the pane draws: pieces of plain content, styled in weights alone, so that it is read without colours too. Pure."""

from textual.content import Content

from tertulia.inert import block, line
from tertulia.launches import GRANTED, LIVE, Launch
from tertulia.messages import Message
from tertulia.pane.board import Board, TopicRow
from tertulia.view.plain import reply_note
from tertulia.view.terminal import local_time

VERIFIED = "verified"
MARKS = {True: "●", False: "○"}
LONGEST_NAME = 40


def launch_row(launch: Launch) -> Content:
    """One launch of the list: its handle or profile, and where it stands."""
    name = f"@{launch.handle}" if launch.state in GRANTED else launch.profile
    state = f"{launch.state}{' +wake' if launch.wake and launch.state in GRANTED else ''}"
    mark = MARKS[launch.state in GRANTED]
    return Content.assemble(
        f"{mark} ", (line(name, LONGEST_NAME), "bold" if launch.state in LIVE else "dim"), (f"\n  {line(state, 40)}", "dim")
    )


def topic_row(row: TopicRow | None) -> Content:
    """One topic of the list; None for the line that stands for all of them."""
    if row is None:
        return Content("all topics")
    unread = f" ({row.unread})" if row.unread else ""
    style = "dim" if row.archived else "bold" if row.unread else ""
    return Content.assemble((f"{line(row.topic, 100)}{unread}", style), (" archived", "dim") if row.archived else "")


def stream(board: Board) -> Content:
    """The messages, oldest first."""
    if not board.messages:
        return Content.styled("Nothing here yet.", "dim")
    return Content("\n").join([message(each, board) for each in board.messages])


def message(each: Message, board: Board) -> Content:
    """A head, and the text indented below it, so that no text can pass for a head."""
    where = "" if board.place.topic or board.place.thread else f" {line(each.topic)}"
    note = f"  {reply_note(each)}" if reply_note(each) else ""
    told = board.receipts.get(each.seq, "")
    parts = [
        Content.assemble((f"#{each.seq} {local_time(each.time)}{where} ", "dim"), author(each), (note, "italic dim")),
        *(Content(f"  {text}") for text in block(each.body).expandtabs(4).split("\n")),
        *([Content.styled(f"  {told}", "dim")] if told else []),
    ]
    return Content("\n").join(parts)


def author(each: Message) -> Content:
    """A name that the hub vouches for is marked; any other is what its author says."""
    if each.handle:
        return Content.assemble((f"@{line(each.handle)}", "bold"), f" ✓{VERIFIED}")
    if not each.connection_id:
        return Content.assemble((line(each.session_name), "bold reverse"), f" ✓{VERIFIED}")
    return Content(line(each.session_name))
