"""The form of a post, checked before the database is asked. Pure."""

from django.utils.translation import gettext as _

from chat.topics import check_session_name, check_topic
from chat.values import MOST_SEQ, Draft
from core.errors import Invalid
from core.text import byte_length, first_control_character, is_printable

CLIENT_KEY_LENGTH = 64


def check_draft(draft: Draft, *, most_bytes: int, as_owner: bool = False, may_be_unnamed: bool = False) -> Draft:
    """The draft itself; raises Invalid naming what to mend. `most_bytes` of UTF-8, 0: no limit. `as_owner`: under the
    reserved name; `may_be_unnamed`: a grant may say who posts."""
    check_body(draft.body, most_bytes=most_bytes)
    if not as_owner and (draft.session_name or not may_be_unnamed):
        check_session_name(draft.session_name)
    if draft.topic is not None:
        check_topic(draft.topic)
    if draft.reply_to is not None and not 1 <= draft.reply_to <= MOST_SEQ:
        raise Invalid("reply_to takes the number of a message you have read, from 1.")
    if draft.thread is not None and not 1 <= draft.thread <= MOST_SEQ:
        raise Invalid("thread takes the number of the message that opened a thread, from 1.")
    if draft.client_key is not None and not (1 <= len(draft.client_key) <= CLIENT_KEY_LENGTH and is_printable(draft.client_key)):
        raise Invalid("client_key takes 1 to 64 printable characters.")
    return draft


def check_body(body: str, *, most_bytes: int) -> None:
    """Raise Invalid for an empty or oversized body or a control character other than tab and newline."""
    size = byte_length(body)
    if size == 0:
        raise Invalid(_("The body is empty; write a message."), code="invalid_body")
    if most_bytes and size > most_bytes:
        raise Invalid(
            _("The body has %(size)d bytes of UTF-8 and at most %(most)d fit; shorten it, or pass a file by its path or commit.")
            % {"size": size, "most": most_bytes},
            code="invalid_body",
        )
    control = first_control_character(body)
    if control is not None:
        raise Invalid(
            _("The body holds the control character %(character)s; only tab and newline are allowed, take it out.")
            % {"character": f"U+{ord(control):04X}"},
            code="invalid_body",
        )
