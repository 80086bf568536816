"""How messages and tables look: plain text in a pipe, coloured and aligned on a terminal."""

from collections.abc import Sequence

from tertulia.messages import Message
from tertulia.voice import answer, prints_to_terminal


def show_messages(messages: Sequence[Message]) -> None:
    """Print messages, in their order."""
    if not messages:
        return
    if prints_to_terminal():
        from tertulia.view.terminal import print_messages

        print_messages(messages)
    else:
        from tertulia.view.plain import message_text

        answer("\n\n".join(map(message_text, messages)) + "\n")


def show_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, if there are rows: aligned under its heads on a terminal, cells parted by tabs without heads in a pipe."""
    if not rows:
        return
    if prints_to_terminal():
        from tertulia.view.terminal import print_table

        print_table(heads, rows)
    else:
        from tertulia.view.plain import row_text

        answer("\n".join(map(row_text, rows)))
