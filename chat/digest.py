"""What a hook puts before a model: a fixed notice first, then facts, each mention in one line. Pure."""

from collections.abc import Sequence

from chat.mentions import preview
from chat.serializers import NOTICE
from chat.topics import RESERVED_NAME
from chat.values import MentionLine
from core.text import byte_length, cut_bytes, one_line

START_BYTES = 512
PROMPT_BYTES = 2048
NOTICE_BYTES = 512
MENTIONS_SHOWN = 10
NAME_BYTES = 64
TOOLS = ("chat_inbox", "chat_read", "chat_post", "chat_wait")
ANSWERS = "No answer is expected unless a message asks for one."


def start(handle: str, unread: int) -> str:
    """For a session that begins: who it is here, how many mentions wait, and the tools; at most 512 bytes."""
    said = f"You are @{handle} in the chat of your owner's agents; {_waiting(unread)}. Tools: {', '.join(TOOLS)}. {ANSWERS}"
    return cut_bytes(f"{NOTICE}\n{said}", START_BYTES)


def prompt(handle: str, unread: int, newest: Sequence[MentionLine]) -> str:
    """For a prompt while mentions are unread: the newest of them, as many as fit into 2,048 bytes; nothing without any."""
    if not newest:
        return ""
    lines = [NOTICE, f"@{handle}: {_waiting(unread)}, newest first. They stay unread until chat_read with mark_read. {ANSWERS}"]
    room = PROMPT_BYTES - byte_length("\n".join(lines))
    for mention in newest[:MENTIONS_SHOWN]:
        line = _line(mention)
        room -= 1 + byte_length(line)
        if room < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def notice(handle: str, unread: int) -> str:
    """For an agent at work: that mentions came, and nothing of their text; at most 512 bytes."""
    said = f"@{handle}: {_waiting(unread)}, at least one of them new. chat_inbox shows them. {ANSWERS}"
    return cut_bytes(f"{NOTICE}\n{said}", NOTICE_BYTES)


def _waiting(unread: int) -> str:
    return "1 unread mention" if unread == 1 else f"{unread} unread mentions"


def _line(mention: MentionLine) -> str:
    topic = cut_bytes(mention.topic, NAME_BYTES)
    return f"- #{mention.seq} in {topic}, {_who(mention)}: {preview(mention.body)}"


def _who(mention: MentionLine) -> str:
    """The word that says whether a name is proved comes before the name, which its bearer may have chosen to say so itself."""
    if mention.handle:
        return f"verified @{mention.handle}"
    if not mention.connection_id and mention.session_name == RESERVED_NAME:
        return f"verified {RESERVED_NAME}"
    name = cut_bytes(one_line(mention.session_name, NAME_BYTES), NAME_BYTES).replace('"', "'")
    return f'unverified "{name}"'
